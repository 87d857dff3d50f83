"""``linerate fits`` on a function in user space, from the file or the time to the exit code."""

import json

import pytest

from linerate.box import Cost, write_box
from linerate.face.fits import functions
from linerate.programs.costs import SOCKETS, YARDSTICK, cost_name

from ...models.objects.planted import box_of
from ...shared_object import compile_shared, function_of

BASE_NS = {"drop": 300.0, "tx": 1000.0}


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    loop = "volatile int i; for (i = 0; i < {}; i++); return frame[12] ? LINERATE_TX : 1;"
    source = function_of(loop.format(20), "few") + function_of(loop.format(1500), "many")
    return compile_shared(tmp_path_factory.mktemp("function") / "mine.so", source)


@pytest.fixture(autouse=True)
def few_turns(monkeypatch):
    """What is answered here does not depend on how often a function is loaded."""
    monkeypatch.setattr(functions, "RELOADS", 2)
    monkeypatch.setattr(functions, "PAIRS", 4)


@pytest.fixture
def box(tmp_path):
    def exactly(ns):
        return Cost(value_ns=ns, lower_ns=ns, upper_ns=ns)

    costs = {
        cost_name(SOCKETS, verdict, size, queues): exactly(ns)
        for verdict, ns in BASE_NS.items() for size in (64, 1518) for queues in (1, 2)
    }  # fmt: skip
    path = tmp_path / "box.toml"
    write_box(box_of({YARDSTICK: exactly(100.0), **costs}), path)
    return path


def test_a_function_is_run_and_answered_by_size(run, mine, box):
    flags = ("--entry", "many", "--box", box, "--explain", "--check", "--json")
    code, printed = run("fits", mine, *flags)
    found = json.loads(printed.out)
    assert code == 1
    assert [answer["frame_bytes"] for answer in found["answers"]] == [64, 512, 1518]
    assert found["answers"][0]["base_ns"] == BASE_NS["tx"]
    assert found["answers"][0]["program_ns"] > 100
    assert [frame["verdict"] for frame in found["explanation"]["frames"]] == ["tx"]


def test_two_builds_take_turns_and_the_slower_one_is_named(run, mine, box, tmp_path):
    """The same entry of another object, which does less."""
    other = compile_shared(tmp_path / "old.so", function_of("return LINERATE_TX;", "many"))
    flags = ("--entry", "many", "--box", box, "--traffic", "64", "--check")
    code, printed = run("fits", mine, "--against", other, *flags)
    assert code == 1
    assert "slower than" in printed.err


@pytest.mark.parametrize(("verdict", "mpps"), [("tx", 2e3 / 1100), ("drop", 2e3 / 400)])
def test_a_time_is_answered_without_a_file(run, box, verdict, mpps):
    flags = ("--ns-per-packet", "100", "--verdict", verdict, "--box", box, "--traffic", "64")
    code, printed = run("fits", "some-function", *flags, "--queues", "2", "--json")
    (answer,) = json.loads(printed.out)["answers"]
    assert code == 0
    assert answer["predicted_mpps"] == pytest.approx(mpps)
    assert [path["verdict"] for path in answer["paths"]] == [verdict]


def test_an_answer_says_what_it_is_of(run, box):
    code, printed = run("fits", "x", "--ns-per-packet", "0", "--box", box, "--link-gbps", "0.1")
    assert code == 0
    assert "af_xdp, 64 B, 0.1 Gbit/s: yes, with 1 queue" in printed.out
    assert "not run: 0 ns a packet as given" in printed.out
    assert "a socket that copies" in printed.out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (
            ["mine.so", "--entry", "few", "--maps", "m.toml"],
            "--maps=m.toml: it has no meaning",
        ),
        (["mine.so", "--entry", "few", "--static"], "--static=True: it has no meaning here"),
        (["mine.so"], "entry=nothing: "),
        (["gone.so"], "function=gone.so: it cannot be read"),
        (["mine.so", "--entry", "few", "--verdict", "tx"], "allowed: with --ns-per-packet"),
        (["x", "--ns-per-packet", "1", "--verdict", "pass"], "verdict=pass: no function on AF_XDP"),
        (["x", "--ns-per-packet", "-1"], "ns_per_packet=-1.0: it is not a time of a packet"),
        (["x", "--ns-per-packet", "1", "--explain"], "--explain=True: it has no meaning here"),
        (["mine.so", "--entry", "few", "--queues", "65"], "queues=65: nothing is known of so"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_words(run, mine, box, words, refusal):
    given = [mine if word == "mine.so" else word for word in words]
    code, printed = run("fits", *given, "--box", box, "--traffic", "64")
    assert code == 2
    assert refusal in printed.err
