"""Pipelines of DPDK on the veth lab: AF_XDP sockets of a device that live frames come to."""

import json
import subprocess
import time
from dataclasses import replace

import pytest

from linerate.cells import Packet
from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.bench import check_swx, open_swx_bench
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.trials.bench import Timing
from linerate.settings import columns_of

from ....needs import two_cores
from . import swx_programs as programs

pytestmark = [pytest.mark.root, pytest.mark.dpdk]
TIMING = Timing(warm_up_seconds=0.05, seconds=0.2)


@pytest.fixture
def veth_cell(cell_of):
    def build(load=None, **changes):
        settings = PipelineSettings(port="af_xdp")
        factors = {
            "lab": "dpdk",
            "mode": "split",
            "datapath": "swx",
            "settings": columns_of(settings),
        }
        return cell_of(load, **(factors | changes))

    return build


def trial_of(cell, program, timing=TIMING):
    with open_swx_bench(cell, lambda _: program) as bench:
        return bench.run_trial(cell.load, timing)


def lost(trial):
    return trial.sent_packets - trial.forwarded_packets


@two_cores
@pytest.mark.parametrize("arrivals", ["constant", "poisson", "burst"])
def test_every_frame_is_accounted_for(veth_cell, arrivals):
    train = 8 if arrivals == "burst" else 1
    load = {"arrivals": arrivals, "offered_mpps": 0.02, "burst_packets": train}
    trial = trial_of(veth_cell(load), programs.registers())
    assert trial.forwarded_packets > 0
    assert lost(trial) == sum(trial.dropped.values())
    assert trial.latency is not None
    assert trial.latency.packets == trial.forwarded_packets


@two_cores
def test_flood_loses_frames_at_the_socket(veth_cell):
    trial = trial_of(veth_cell(), programs.registers(50))
    assert trial.dropped["dut_socket"] > trial.forwarded_packets > 0


@two_cores
def test_what_the_program_drops_is_the_programs(veth_cell):
    cell = veth_cell({"arrivals": "constant", "offered_mpps": 0.02})
    trial = trial_of(cell, programs.pipeline("\tmov m.port 1"))
    assert trial.forwarded_packets == 0
    # What came between the two looks at either end is at most of a few milliseconds.
    assert trial.dropped["dut_program"] == pytest.approx(trial.sent_packets, rel=0.2)


@two_cores
def test_sizes_tcp_and_flows_of_the_veth_lab_go_through(veth_cell):
    packet = Packet(protocol="tcp", tcp_flags="S", sources=100)
    load = {
        "arrivals": "constant", "offered_mpps": 0.01, "packet": packet, "flows": 100,
        "frame_mix": ((7, 128), (4, 594), (1, 1518)),
    }  # fmt: skip
    trial = trial_of(veth_cell(load), programs.registers())
    assert trial.forwarded_packets > 0


@two_cores
def test_busy_share_lies_between_none_and_all(veth_cell):
    trial = trial_of(veth_cell(), programs.registers(50))
    (busy,) = trial.cpu_busy_ratios
    assert 0.0 < busy <= 1.0


@pytest.mark.exclusive
@two_cores
def test_bench_runs_many_trials(veth_cell):
    cell = veth_cell({"arrivals": "constant", "offered_mpps": 0.01})
    with open_swx_bench(cell, lambda _: programs.registers()) as bench:
        loads = [replace(cell.load, offered_mpps=rate) for rate in (0.01, 0.02)]
        slow, fast = (bench.run_trial(load, TIMING).sent_packets for load in loads)
    assert fast == pytest.approx(2 * slow, rel=0.1)


def xdp_programs():
    listed = subprocess.run(
        ["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=True
    )
    return {program["id"] for program in json.loads(listed.stdout) if program["type"] == "xdp"}


@two_cores
def test_program_that_dpdk_attaches_goes_with_the_bench(veth_cell):
    before = xdp_programs()
    cell = veth_cell({"arrivals": "constant", "offered_mpps": 0.01})
    with open_swx_bench(cell, lambda _: programs.registers()):
        attached = xdp_programs() - before
        assert attached
    end = time.monotonic() + 10.0  # a namespace goes a moment after its last process
    while attached & xdp_programs():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"queues": 99}, "queues=99: split mode needs 2"),
        (
            {"settings": columns_of(PipelineSettings(port="af_xdp", oversubscribed=True))},
            "oversubscribed=",
        ),
        (
            {"settings": columns_of(PipelineSettings(port="af_xdp", device="0000:3b:00.0"))},
            "device=0000:3b",
        ),
    ],
)
def test_what_the_lab_has_no_room_for_is_refused(veth_cell, changes, why):
    with pytest.raises(BadInputError, match=why):
        check_swx(veth_cell(**changes), lambda _: programs.registers())
