"""The user's own objects at tc: which programs are taken, and what becomes of packets."""

import json
import shutil
from dataclasses import replace

import pytest

from linerate.cells import Cell, Load
from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.datapaths.objects.settings import ObjectSettings
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.trials.bench import Timing
from linerate.progress import telling
from linerate.settings import columns_of

from ....needs import two_cores
from ...leftovers import kernel_objects, left_behind

ASKED = {0: 3, 2: 2, 4: 1, 7: 4, 9: 2, 255: 1, 3: 1}
"""Value of a frame's 15th byte -> how often it comes."""
ENDED = {
    "direct": {"drop": 3, "pass": 5, "redirect": 6},
    "linked": {"drop": 2, "pass": 6, "redirect": 6},
}
"""Of 14 frames: 4 is TC_ACT_STOLEN, which only a qdisc knows, 3 no verdict, 9 a redirect that
cannot be."""
TIMING = Timing(warm_up_seconds=0.03, seconds=0.1)
EDGE_PACKETS = 64
"""A mix that is cut anywhere has a few more of one kind."""


@pytest.fixture
def folder(tmp_path, compiled):
    for name in ("teller_tc", "teller", "back_tc"):
        shutil.copy(compiled(name), tmp_path / f"{name}.bpf.o")
    frames = [
        {"hex": "02000000000202000000000188b5" + f"{value:02x}" + "00" * 45, "weight": weight}
        for value, weight in ASKED.items()
    ]
    (tmp_path / "frames.json").write_text(json.dumps(frames))
    return tmp_path


def cell_of(datapath, program, **settings):
    load = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=0.02)
    return Cell(
        lab="veth", mode="serial", datapath=datapath, program=f"{program}.bpf.o", memory_accesses=0,
        queues=1, link_gbps=10.0, load=load, settings=columns_of(ObjectSettings(**settings)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("datapath", "program", "entry", "says"),
    [
        ("tc", "teller", "", "the object has no program for tc; .* it has teller .xdp."),
        ("xdp_native", "teller_tc", "", "no program for xdp_native; .* linked .sched_cls."),
        ("xdp_generic", "teller_tc", "direct", "the object has no program for xdp_generic"),
        ("tc", "teller_tc", "", "several programs; allowed: direct, linked, bad"),
        ("tc", "teller_tc", "leaving", "no such program for tc; allowed: direct, linked, bad"),
    ],
)
def test_programs_of_the_other_hooks_are_refused(folder, datapath, program, entry, says):
    with pytest.raises(BadInputError, match=says):
        read_inputs(cell_of(datapath, program, entry=entry), folder)


@pytest.mark.root
@pytest.mark.parametrize("entry", ENDED)
def test_every_verdict_is_counted(folder, mark, entry):
    before = kernel_objects()
    cell = cell_of("tc", "teller_tc", entry=entry, traffic="frames.json")
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    turns = trial.sent_packets / sum(ASKED.values())
    assert turns > 20
    for verdict, times in ENDED[entry].items():
        assert trial.ends[verdict] == pytest.approx(times * turns, abs=EDGE_PACKETS), verdict
    assert trial.ends["aborted"] == trial.ends["tx"] == 0
    undirected = trial.dropped["dut_redirect"]
    assert undirected == pytest.approx(ASKED[9] * turns, abs=EDGE_PACKETS)
    assert trial.sent_packets - trial.forwarded_packets == sum(trial.dropped.values())
    assert left_behind(before) == {}


@pytest.mark.root
def test_refusal_of_the_verifier_is_a_result_with_its_words(folder):
    cell = cell_of("tc", "teller_tc", entry="bad")
    with (
        pytest.raises(DeviceFailedError, match="outside of the packet"),
        open_bench(cell, folder),
    ):
        pass


@two_cores
@pytest.mark.root
def test_latency_is_taken_of_what_comes_back(folder):
    cell = replace(cell_of("tc", "back_tc"), mode="split")
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.latency and trial.latency.packets > 0
    assert trial.ends["redirect"] == trial.sent_packets - trial.dropped["dut_ring"]


@pytest.mark.root
@pytest.mark.parametrize("entry", ["write", "widen", "narrow", "tag", "cut"])
def test_each_test_run_gets_the_frame_as_it_came(compiled, entry):
    tested = UnderTest(path=compiled("changing_tc"), entry=entry, settings=NOTHING, datapath="tc")
    with telling(shown=False) as tell:
        (times,) = time_programs((tested,), of_size(64), tell, 1)
    assert times.verdict_shares() == {"redirect": 1.0}
    assert times.program_ns[0] > 0


def test_test_run_at_tc_refuses_frames_of_several_protocols(tmp_path):
    path = tmp_path / "frames.json"
    ends = "0806", "0800"
    path.write_text(json.dumps([{"hex": "02" * 12 + end + "00" * 46} for end in ends]))
    tested = UnderTest(path=tmp_path, entry="any", settings=NOTHING, datapath="tc")
    with telling(shown=False) as tell, pytest.raises(BadInputError, match="0800, 0806: in a test"):
        time_programs((tested,), read_frames(path), tell, 1)


def test_what_could_not_be_redirected_is_told_by_the_ratio_of_before():
    nothing = dict.fromkeys(("aborted", "tx", "unsent", "untaken", "to_cpu"), 0)
    warm = Ends(**nothing, drop=10, passed=20, redirect=15, undirected=10)
    unseen = Ends(**nothing, drop=0, passed=400, redirect=50, undirected=0)
    told = unseen.told_apart(warm, undirected_too=True)
    assert (told.drop, told.passed, told.redirect, told.undirected) == (100, 200, 150, 100)
    assert told.packets == unseen.packets
