"""The rules of a chain as a command sets them, and what the stages leave alone or behind."""

import json
import subprocess
import time

import pytest

from linerate.measure.processes import built

from .nsh_stages import MD2, NEXT, PINS, RULES, colons, loaded_programs, start_stages

pytestmark = pytest.mark.root


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("add-path", "--spi", "16777216", "--si", "1"), "spi=16777216: "),
        (("add-path", "--spi", "0", "--si", "1"), "allowed: 1..16777215"),
        (("add-path", "--spi", "7", "--si", "256"), "si=256: "),
        (("add-path", "--spi", "7", "--si", "2.5"), "si=2.5: "),
        (("add-path", "--spi", "7", "--si", "9", "--mac", "02:00:00:00:10"), "mac=02:00:"),
        (("add-path", "--spi", "7", "--si", "9"), "mac=: it is needed"),
        (("add-path", "--spi", "7", "--si", "255", "--mac", colons(NEXT)), "path=7/255: there is"),
        (("del-path", "--spi", "7", "--si", "1"), "path=7/1: there is no rule for it"),
        (("add-flow", "--source", "198.18.0", "--spi", "7"), "source=198.18.0: "),
        (("add-flow", "--context", "0102", "--source", "1.1.1.1", "--destination", "1.1.1.2",
          "--protocol", "udp", "--spi", "7"), "MD type 1 has one length"),
        (("add-flow", "--context", "012"), "context=012: "),
        (("forget", "--spi", "7"), "command=forget: unknown; allowed: add-path"),
    ],
)  # fmt: skip
def test_rule_that_cannot_be_is_refused_in_the_usual_words(stages, words, output):
    with stages("classify", "fwd") as chain:
        chain.add_path()
        before = chain.rules("list")
        code, answer = chain.rules(*words)
        assert (code, output in answer) == (2, True), answer
        assert chain.rules("list") == before


def test_rules_are_listed_and_deleted(stages):
    with stages("classify", "fwd") as chain:
        chain.add_path()
        chain.add_flow(*RULES["MD type 2, empty"])
        code, output = chain.rules("list")
        assert code == 0
        assert [json.loads(line) for line in output.splitlines()] == [
            {"flow": "198.18.0.1>198.19.0.1/17", "source_port": 0, "destination_port": 0,
             "header": MD2.hex()},
            {"spi": 7, "si": 255, "mac": colons(NEXT)},
        ]  # fmt: skip
        assert chain.rules("del-path", "--spi", "7", "--si", "255") == (0, "")
        flow = ("--source", "198.18.0.1", "--destination", "198.19.0.1", "--protocol", "udp")
        assert chain.rules("del-flow", *flow) == (0, "")
        assert chain.rules("list") == (0, "")


def test_rules_without_a_stage_are_refused(namespace):
    argv = [built.runner("nsh_rules").resolve(), "add-path", "--pins", PINS, "--spi", "7"]
    done = subprocess.run(
        namespace.argv([*argv, "--si", "9", "--mac", colons(NEXT)], pins=True),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no stage here goes by such rules" in done.stderr


def test_foreign_queueing_discipline_is_not_taken_over(namespace):
    namespace.run(["tc", "qdisc", "add", "dev", "uplink", "clsact"])
    before = namespace.run(["tc", "qdisc", "show", "dev", "uplink"])
    with start_stages(namespace, "--attach", "fwd@uplink") as process:
        output, words = process.communicate(timeout=10)
    assert (process.returncode, output) == (3, "")
    assert "uplink: File exists" in words
    assert namespace.run(["tc", "qdisc", "show", "dev", "uplink"]) == before


def test_foreign_xdp_program_is_not_replaced(namespace):
    foreign = str(built.program_object("xdp_drop"))
    namespace.run(["ip", "link", "set", "dev", "uplink", "xdpdrv", "obj", foreign, "sec", "xdp"])
    before = namespace.run(["ip", "link", "show", "dev", "uplink"])
    with start_stages(namespace, "--attach", "dec@uplink") as process:
        _, words = process.communicate(timeout=10)
    assert process.returncode == 3
    assert "busy" in words
    assert namespace.run(["ip", "link", "show", "dev", "uplink"]) == before


def test_stages_take_everything_with_them(stages, namespace):
    with stages("dec", "enc", "fwd") as chain:
        ids = set(chain.ids.values())
    end = time.monotonic() + 5.0
    while (left := ids & loaded_programs()) and time.monotonic() < end:
        time.sleep(0.05)  # the kernel frees what nobody holds a moment later
    assert not left
    assert "clsact" not in namespace.run(["tc", "qdisc", "show", "dev", "uplink"])
    assert "prog/xdp" not in namespace.run(["ip", "link", "show", "dev", "uplink"])
