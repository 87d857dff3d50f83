"""Packets as fixtures: what goes in, the verdict, and what comes out of each program."""

import json
import subprocess
from contextlib import contextmanager

import pytest

from linerate.measure.datapaths.xdp.attach import attach_xdp
from linerate.measure.labs.veth import open_veth_lab

pytestmark = pytest.mark.root

ABORTED, DROP, PASS, TX = range(4)
"""enum xdp_action of linux/bpf.h."""
STUDY = (0, 1, 100, 200, 400, 800, 1600, 3200, 6400, 12800)
"""Map lookups of Capeletti (2022)."""
PACKETS = {
    "smallest frame": bytes(range(60)),
    "largest frame": bytes(byte % 251 for byte in range(1514)),
    "all ones": b"\xff" * 60,
    "IPv6 by its type": bytes(12) + b"\x86\xdd" + bytes(100),
}
"""As a program sees them: without FCS."""


def bpftool(*argv):
    done = subprocess.run(
        ["bpftool", "-j", *map(str, argv)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr or done.stdout
    return json.loads(done.stdout)


class Attached:
    """A program on a hook, to be run on packets of one's own."""

    def __init__(self, program_id, folder):
        self.program_id = program_id
        self.folder = folder

    def run(self, packet, repeat=1):
        """Return the verdict and the packet that came out."""
        came_in, came_out = self.folder / "in", self.folder / "out"
        came_in.write_bytes(packet)
        output = bpftool(
            "prog", "run", "id", self.program_id, "data_in", came_in, "data_out", came_out,
            "repeat", repeat,
        )  # fmt: skip
        return output["retval"], came_out.read_bytes()

    def lookups(self):
        """Count of each key over all CPUs."""
        shown = bpftool("prog", "show", "id", self.program_id)
        maps = [bpftool("map", "show", "id", map_id) for map_id in shown["map_ids"]]
        (counters,) = [found["id"] for found in maps if found["name"] == "lookups"]
        return {
            entry["formatted"]["key"]: sum(v["value"] for v in entry["formatted"]["values"])
            for entry in bpftool("map", "dump", "id", counters)
        }


@pytest.fixture
def attached(tmp_path, cell_of):
    @contextmanager
    def attach(program, memory_accesses=0, datapath="xdp_native"):
        gro = datapath == "xdp_generic"
        with (
            open_veth_lab("serial", 1, gro=gro) as lab,
            attach_xdp(
                lab, cell_of(datapath=datapath, program=program, memory_accesses=memory_accesses)
            ),
        ):
            shown = json.loads(lab.dut.run(["ip", "-j", "link", "show", "dev", lab.dut_device]))
            yield Attached(shown[0]["xdp"]["prog"]["id"], tmp_path)

    return attach


@pytest.mark.parametrize(
    ("program", "memory_accesses", "verdict"),
    [("xdp_tx", 0, TX), ("xdp_drop", 0, DROP), ("map_lookup", 0, TX), ("map_lookup", 100, TX)],
)
def test_verdict_is_the_programs_own_and_the_packet_stays_as_it_was(
    attached, program, memory_accesses, verdict
):
    with attached(program, memory_accesses) as loaded:
        for what, packet in PACKETS.items():
            assert loaded.run(packet) == (verdict, packet), what


@pytest.mark.parametrize("memory_accesses", [0, 1, 63, 64, 65, 100, 12800])
def test_exactly_so_many_lookups_are_made_for_each_packet(attached, memory_accesses):
    repeat = 7
    with attached("map_lookup", memory_accesses) as loaded:
        before = loaded.lookups()  # the time of a pass was taken already
        loaded.run(PACKETS["smallest frame"], repeat)
        made = {key: count - before[key] for key, count in loaded.lookups().items()}
    assert made.pop(0) == repeat * memory_accesses, "key 0: the only receive queue"
    assert set(made.values()) == {0}


@pytest.mark.parametrize("memory_accesses", STUDY)
def test_verifier_takes_every_count_of_the_study(attached, memory_accesses):
    with attached("map_lookup", memory_accesses) as loaded:
        assert loaded.run(PACKETS["smallest frame"])[0] == TX


def test_generic_hook_runs_the_same_program(attached):
    with attached("map_lookup", 65, datapath="xdp_generic") as loaded:
        assert loaded.run(PACKETS["largest frame"]) == (TX, PACKETS["largest frame"])
