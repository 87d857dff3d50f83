"""``linerate fits`` on a user's object, from the file to the exit code."""

import json
import os
import subprocess

import pytest

from linerate.box import Box, Cost, write_box
from linerate.face.fits import objects
from linerate.programs.costs import YARDSTICK, cost_name

pytestmark = pytest.mark.root
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
static __always_inline int work(unsigned int times)
{
    volatile unsigned int sum = 0;
    unsigned int i;

    for (i = 0; i < times; i++)
        sum += i;
    return sum ? XDP_PASS : XDP_DROP;
}
SEC("xdp") int few(struct xdp_md *ctx) { return work(20); }
SEC("xdp") int many(struct xdp_md *ctx) { return work(400); }
char _license[] SEC("license") = "GPL";
"""


def compile_to(path, source):
    subprocess.run(
        ["clang", "-O2", "-g", "-target", "bpf", f"-I/usr/include/{os.uname().machine}-linux-gnu",
         "-x", "c", "-c", "-", "-o", path], input=source, text=True, check=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def looper(tmp_path_factory):
    path = tmp_path_factory.mktemp("object") / "looper.bpf.o"
    compile_to(path, SOURCE)
    return path


@pytest.fixture(autouse=True)
def few_turns(monkeypatch):
    """What is answered here does not depend on how often a program is loaded."""
    monkeypatch.setattr(objects, "RELOADS", 2)
    monkeypatch.setattr(objects, "PAIRS", 4)


@pytest.fixture
def box(tmp_path):
    costs = {
        cost_name("xdp_native", verdict, size, 1): Cost(value_ns=50.0, lower_ns=49.0, upper_ns=51.0)
        for verdict in ("drop", "pass", "tx")
        for size in (64, 1518)
    }
    path = tmp_path / "box.toml"
    write_box(
        Box(
            name="planted", cpu_model="none", cores=1, threads_per_core=1, memory_gib=1.0,
            kernel="6.1", mitigations={}, governor="none", hypervisor="none", nic="veth",
            costs={YARDSTICK: Cost(value_ns=100.0, lower_ns=100.0, upper_ns=100.0), **costs},
        ), path,
    )  # fmt: skip
    return path


def test_an_object_is_answered_by_size_and_the_check_tells_by_exit_code(run, looper, box):
    code, printed = run("fits", looper, "--entry", "many", "--box", box, "--check", "--json")
    assert code == 1
    answers = json.loads(printed.out)["answers"]
    assert [answer["frame_bytes"] for answer in answers] == [64, 512, 1518]
    assert answers[0]["program_ns"] > 50
    assert not answers[0]["sustains"]
    assert answers[2]["sustains"]
    assert [(path["verdict"], path["share"]) for path in answers[0]["paths"]] == [("pass", 1.0)]
    assert answers[2]["loads"][0]["name"] == "line rate"


def test_an_older_object_is_compared_and_the_check_fails_where_it_was_faster(run, box, tmp_path):
    """The newer one does twenty times as much; the other way round it is let pass."""
    few, many = tmp_path / "few.bpf.o", tmp_path / "many.bpf.o"
    for path, unwanted in ((few, "many"), (many, "few")):
        compile_to(path, "\n".join(
            line for line in SOURCE.splitlines() if f"int {unwanted}(" not in line
        ))  # fmt: skip
    flags = ("--box", box, "--traffic", "64", "--json", "--check")
    code, printed = run("fits", many, "--against", few, *flags)
    (comparison,) = json.loads(printed.out)["comparisons"]
    assert code == 1
    assert comparison["change"] == "slower"
    assert comparison["upper_mpps"] < 0
    assert f"64 B: slower than {few} by" in printed.err
    code, printed = run("fits", few, "--against", many, *flags)
    assert (code, json.loads(printed.out)["comparisons"][0]["change"]) == (0, "faster")


def test_a_budget_is_a_gate_of_its_own(run, looper, box):
    flags = ("fits", looper, "--entry", "many", "--box", box, "--traffic", "64")
    assert run(*flags, "--budget-ns", "100000")[0] == 0
    code, printed = run(*flags, "--budget-ns", "10")
    assert code == 1
    assert "budget: 10" in printed.err


def test_a_latency_is_a_gate_of_its_own(run, looper, box):
    flags = ("fits", looper, "--entry", "few", "--box", box, "--traffic", "64", "--offered-mpps", 1)
    assert run(*flags, "--latency-us", 1e6)[0] == 0
    code, printed = run(*flags, "--latency-us", 0.01)
    assert code == 1
    assert "us at 1 Mpps; allowed: 0.01" in printed.err


def test_what_a_program_calls_is_explained_where_that_is_asked(run, looper, box):
    flags = ("fits", looper, "--entry", "many", "--box", box, "--traffic", "64")
    code, printed = run(*flags, "--explain", "--json")
    explanation = json.loads(printed.out)["explanation"]
    assert code == 0
    assert explanation["code"]["loops"] == 1
    assert explanation["rest_ns"] == explanation["program_ns"]
    assert json.loads(run(*flags, "--json")[1].out)["explanation"] is None


def test_the_picture_and_its_table_are_written(run, looper, box, tmp_path):
    code, _ = run("fits", looper, "--entry", "few", "--box", box, "--figure", tmp_path / "roof.png")
    assert code == 0
    assert {path.name for path in tmp_path.glob("roof.*")} == {"roof.png", "roof.csv"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--model", "model.json"], "--model=model.json: it has no meaning here"),
        (["--entry", "none"], "entry=none: the object has no such program for xdp_native; allowed: "
         "few, many"),
        (["--queues", "65"], "queues=65: nothing is known of so many; allowed: 1..64"),
        (["--queues", "x"], "--queues=x: it is not a number"),
        (["--slower-ns", "1"], "--slower-ns=1.0: it has no meaning here; allowed: with --against"),
        (["--budget-ns", "-1"], "budget_ns=-1.0: it is not a time that a program may take"),
        (["--offered-mpps", "0"], "offered_mpps=0.0: no load that has a latency"),
        (["--figure", "roof.gif"], "figure=roof.gif: it cannot be drawn there"),
        (["--datapath", "xdp_generic"], "the box planted has no base costs of it"),
        (["--traffic", "absent.pcap"], "absent.pcap: it cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_with_words(run, looper, box, flags, words):
    entry = [] if "--entry" in flags else ["--entry", "few"]
    code, printed = run("fits", looper, "--box", box, *entry, *flags)
    assert code == 2
    assert words in printed.err


def test_a_name_without_a_model_says_what_is_missing(run):
    code, printed = run("fits", "map_lookup")
    assert code == 2
    assert "--model=nothing" in printed.err
    assert "give a BPF object" in printed.err
