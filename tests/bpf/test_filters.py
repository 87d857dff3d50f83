"""Packets as fixtures: what each filter does with them on XDP, tc and netfilter."""

import json
import os
import subprocess
from contextlib import contextmanager

import pytest

from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes import built
from linerate.measure.processes.held import hold_process

from ..filter_packets import ALL, FIXTURES, MALFORMED, PROGRAMS, SHORT, STRANGE

pytestmark = pytest.mark.root

ETHERNET_BYTES = 14
OBJECTS = {"xdp_generic": "filter_xdp", "tc": "filter_tc", "prerouting": "filter_netfilter"}
DROP = {"xdp_generic": 1, "tc": 2, "prerouting": 0}
PASS = {"xdp_generic": 2, "tc": 0, "prerouting": 1}
"""enum xdp_action, TC_ACT_SHOT and TC_ACT_OK, NF_DROP and NF_ACCEPT."""
PACKETS = {
    "xdp_generic": (*FIXTURES, *MALFORMED, *STRANGE, *SHORT),
    "tc": (*FIXTURES, *MALFORMED, *STRANGE),
    "prerouting": FIXTURES,
}


class Loaded:
    """A filter in the kernel, to be run on packets of one's own."""

    def __init__(self, hook, runner, folder):
        self.hook, self.runner, self.folder = hook, runner, folder
        self.output = json.loads(runner.first)

    def run(self, packet, repeat=1):
        """Return the verdict; netfilter sees no Ethernet header."""
        came_in = self.folder / "in"
        came_in.write_bytes(packet[ETHERNET_BYTES:] if self.hook == "prerouting" else packet)
        done = subprocess.run(
            ["bpftool", "-j", "prog", "run", "id", str(self.output["program_id"]), "data_in",
             came_in, "data_out", os.devnull, "repeat", str(repeat)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr or done.stdout
        return json.loads(done.stdout)["retval"]

    def dropped(self):
        return json.loads(self.runner.ask(""))["dropped"]


@pytest.fixture
def loaded(tmp_path):
    @contextmanager
    def load(hook, program, *flags):
        argv = [
            built.runner("filter_dut"), "--object", built.program_object(OBJECTS[hook]),
            "--dev", "lo", "--hook", hook, "--program", program, *flags,
        ]  # fmt: skip
        with (
            Namespace.create() as namespace,
            hold_process(hook, namespace.argv(argv)) as runner,
        ):
            yield Loaded(hook, runner, tmp_path)

    return load


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("hook", OBJECTS)
def test_each_packet_gets_its_verdict_and_is_counted_when_dropped(loaded, hook, program):
    with loaded(hook, program) as under_test:
        counted = under_test.dropped()  # the time of a pass was taken already
        for packet in PACKETS[hook]:
            drops = packet.drops(program)
            verdict = (DROP if drops else PASS)[hook]
            assert under_test.run(packet.packet) == verdict, packet.what
            counted += drops
            assert under_test.dropped() == counted, packet.what


@pytest.mark.parametrize("hook", OBJECTS)
def test_every_pass_counts_once(loaded, hook):
    udp = FIXTURES[0].packet
    with loaded(hook, "drop_udp_subnet") as under_test:
        before = under_test.dropped()
        under_test.run(udp, repeat=1000)
        assert under_test.dropped() - before == 1000


@pytest.mark.parametrize("hook", OBJECTS)
def test_uncounted_drops_the_same(loaded, hook):
    with loaded(hook, ALL, "--uncounted") as under_test:
        assert under_test.run(FIXTURES[0].packet) == DROP[hook]
        assert under_test.dropped() == 0


@pytest.mark.parametrize("hook", OBJECTS)
def test_runner_says_what_the_kernel_charges_and_a_pass_takes(loaded, hook):
    with loaded(hook, ALL) as under_test:
        # A page for the program, and something for its two maps.
        assert under_test.output["memory_bytes"] > os.sysconf("SC_PAGESIZE")
        assert 1.0 < under_test.output["program_ns"] < 100_000.0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "object=: it is needed"),
        (["--object", "x", "--dev", "lo", "--hook", "tc"], "program=: it is needed"),
        (["--hook", "egress", "--program", ALL], "hook=egress: unknown; allowed: xdp_native, "),
        (["--hook", "tc", "--program", "drop_some"], "program=drop_some: unknown; allowed: drop_"),
    ],
)
def test_runner_refuses_bad_flags(argv, words):
    done = subprocess.run(
        [built.runner("filter_dut"), *argv], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(words)
