"""Trials of pipelines on DPDK's lcores, as campaigns run them, and loads that are refused."""

from typing import Literal

import pytest

from linerate.cells import Packet
from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.bench import check_swx, open_swx_bench
from linerate.measure.datapaths.swx.load import load_flags
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.trials.bench import Timing
from linerate.settings import columns_of

from ....needs import two_cores
from . import swx_programs as programs

pytestmark = pytest.mark.dpdk
Port = Literal["net_null", "ring", "memif", "af_xdp", "pci"]
TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)


def program_of(cell):
    return programs.registers(cell.memory_accesses)


@pytest.fixture
def swx_cell(cell_of):
    def build(load=None, port: Port = "ring", **changes):
        settings = PipelineSettings(port=port)
        factors = {
            "lab": "dpdk",
            "mode": "split",
            "datapath": "swx",
            "settings": columns_of(settings),
        }
        return cell_of(load, **(factors | changes))

    return build


@pytest.mark.exclusive
@two_cores
def test_paced_load_is_offered_at_its_rate(swx_cell):
    cell = swx_cell({"arrivals": "constant", "offered_mpps": 0.05})
    with open_swx_bench(cell, program_of) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.intended_packets / trial.duration_s / 1e6 == pytest.approx(0.05, rel=0.01)
    assert trial.sent_packets == trial.forwarded_packets + sum(trial.dropped.values())
    assert trial.latency is not None
    assert trial.latency.packets == trial.forwarded_packets


def test_bench_runs_many_trials_of_one_load(swx_cell):
    cell = swx_cell(port="net_null")
    with open_swx_bench(cell, program_of) as bench:
        trials = [bench.run_trial(cell.load, TIMING) for _ in range(2)]
    assert all(trial.forwarded_packets > 0 and trial.latency is None for trial in trials)
    assert all(0.0 <= ratio <= 1.0 for trial in trials for ratio in trial.cpu_busy_ratios)


def test_programs_differ_by_hash(swx_cell):
    def hash_of(accesses):
        cell = swx_cell(port="net_null", memory_accesses=accesses)
        with open_swx_bench(cell, program_of) as bench:
            return bench.program_hash

    assert hash_of(1) != hash_of(2)


@pytest.mark.parametrize(
    ("load", "port", "why"),
    [
        ({"frame_mix": ((1, 1519),)}, "ring", "frame_bytes=1519"),
        ({"arrivals": "constant", "offered_mpps": 1.0}, "net_null", "port=net_null"),
        ({"frame_mix": ((7, 64), (1, 1518))}, "net_null", "port=net_null"),
        ({"pings_per_second": 1.0}, "ring", "generator="),
        ({"generator": "hping3"}, "ring", "generator=hping3"),
        ({"packet": Packet(sources=2)}, "memif", "packet="),
        ({"packet": Packet(protocol="tcp")}, "af_xdp", "frame_bytes=64: a TCP frame"),
    ],
)
def test_impossible_loads_are_refused(swx_cell, load, port, why):
    with pytest.raises(BadInputError, match=why):
        check_swx(swx_cell(load, port=port), program_of)


def test_bursts_are_constant_arrivals_of_several(swx_cell):
    load = swx_cell({"arrivals": "burst", "offered_mpps": 1.0, "burst_packets": 8}).load
    flags = load_flags(load, TIMING)
    assert flags[flags.index("--arrivals") + 1] == "constant"
    assert flags[flags.index("--burst-packets") + 1] == "8"
