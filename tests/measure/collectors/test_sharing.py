"""Looks at the device's cores: whether they were all its own."""

import math
import os
import time
from dataclasses import replace

import pandas as pd
import pytest

from linerate.cells import Cell, Load
from linerate.errors import BadInputError, CannotHereError, cannot_here
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.run import probes_of
from linerate.measure.collectors import sharing
from linerate.measure.collectors.probed import probed
from linerate.measure.collectors.sharing import (
    CoreLook,
    counts_of,
    open_sharing_watch,
    seeing_others,
)
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.processes import built
from linerate.measure.processes.held import hold_process
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import judge
from linerate.records import Trial
from linerate.stretches import MOST_SHARED, unshared_mpps
from linerate.tables.probe_columns import probe_columns

CORE = max(os.sched_getaffinity(0))
FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
XDP = Cell(lab="veth", mode="serial", datapath="xdp_native", program="xdp_tx", memory_accesses=0,
           queues=1, link_gbps=math.inf, load=FLOOD)  # fmt: skip
SWX = Cell(lab="dpdk", mode="serial", datapath="swx", program="forward", memory_accesses=0,
           queues=1, link_gbps=math.inf, load=FLOOD,
           settings=(("pipeline_port", "net_null"),))  # fmt: skip
ALONE_NS, SHARED_NS, CHAIN_NS = 2470, 4430, 2130
EVERY_NS, PLANTED_EVERY_NS = 5_000_000, 10_000_000
PLAN = {
    "name": "plan", "lab": "veth", "repetitions": 1, "trial_seconds": 0.1, "warm_up_seconds": 0.1,
    "probes": ["sharing"],
    "cells": [{"mode": "serial", "datapath": ["xdp_native"], "program": ["xdp_tx"], "queues": [1],
               "frame_bytes": [64], "link_gbps": 10.0, "offered_mpps": ["flood"]}],
}  # fmt: skip


def trial(**fields):
    counts = {"intended_packets": 900, "sent_packets": 900, "forwarded_packets": 900}
    return Trial(duration_s=1.0, cpu_busy_ratios=(0.9,), **counts, **fields)


@pytest.fixture
def looks(monkeypatch):
    """Plant a look every 10 ms of 1.2 s, those of the first 0.2 s at a shared core.

    In the last 0.5 s the clock is half as fast, which is not what is looked for.
    """
    monkeypatch.setattr(sharing, "_least", dict.fromkeys((CORE, CORE + 1), ALONE_NS / CHAIN_NS))
    slowed = {
        at: 2 if at >= 1_700_000_000 else 1 for at in range(10**9, 2_200_000_000, PLANTED_EVERY_NS)
    }
    return {CORE: [
        CoreLook(at, slower * (SHARED_NS if at < 1_200_000_000 else ALONE_NS + 10),
                 slower * CHAIN_NS)
        for at, slower in slowed.items()
    ]}  # fmt: skip


def test_looks_outside_the_window_do_not_count(looks):
    assert counts_of(looks, trial(began_ns=1_150_000_000)) == {
        "sharing_looks": 101, "sharing_shared_looks": 5, MOST_SHARED: 5 / 101,
    }  # fmt: skip


def test_all_looks_count_where_the_window_is_not_known(looks):
    assert counts_of(looks, trial()) == {
        "sharing_looks": 120, "sharing_shared_looks": 20, MOST_SHARED: 20 / 120,
    }  # fmt: skip


def test_the_core_that_others_used_most_is_told_apart(looks):
    alone = [CoreLook(look.at_ns, ALONE_NS, CHAIN_NS) for look in looks[CORE]]
    counts = counts_of(looks | {CORE + 1: alone}, trial())
    assert counts["sharing_shared_looks"] / counts["sharing_looks"] == 20 / 240
    assert counts[MOST_SHARED] == 20 / 120


def test_a_trial_whose_undisturbed_stretches_tell_its_rate_is_not_doubted(looks):
    disturbed = {"probes": counts_of(looks, trial()), "steal_ratio": 0.1, "contended_ratio": 0.1}
    told = {"stretches_ns": ((250.0,) * 10 + tuple(300.0 + place for place in range(30)),)}
    assert len(judge(XDP, trial(**disturbed)).reasons) == 3
    assert judge(XDP, trial(**disturbed, **told)).state == "valid"


@pytest.mark.parametrize(("began_ns", "state"), [(1_150_000_000, "valid"), (0, "suspect")])
def test_a_trial_is_doubted_where_others_shared_the_core_for_more_than_a_tenth(
    looks, began_ns, state
):
    seen = trial(began_ns=began_ns)
    verdict = judge(XDP, trial(probes=counts_of(looks, seen)))
    assert verdict.state == state
    if state == "suspect":
        assert verdict.reasons == ("others used a core of the lab, too, at 20 of 120 looks",)


def test_a_run_says_at_which_share_of_looks_its_core_was_shared(looks):
    trials = [trial(probes=counts_of(looks, trial(began_ns=began))) for began in (0, 1_150_000_000)]
    columns = pd.Series(probe_columns(trials))
    assert columns["probes"] == "sharing"
    assert columns["shared_core_ratio"] == 25 / 221
    assert "probed_packets" not in columns


def test_a_campaign_may_ask_for_it():
    assert campaign_from(PLAN, "plan").probes == ["sharing"]


def test_cells_whose_latency_is_taken_are_not_looked_at():
    campaign = campaign_from(PLAN | {"probes": ["softirq", "sharing"]}, "plan")
    split = replace(XDP, mode="split")
    paced = replace(split, load=replace(XDP.load, arrivals="constant", offered_mpps=1.0))
    flood = replace(split, load=replace(XDP.load, arrivals="flood", offered_mpps=math.inf))
    assert probes_of(campaign, XDP) == ["softirq", "sharing"]
    assert probes_of(campaign, paced) == ["softirq"]
    assert probes_of(campaign, flood) == ["softirq", "sharing"]


def test_a_campaign_without_a_cell_that_it_looks_at_is_refused():
    (block,) = PLAN["cells"]
    with pytest.raises(BadInputError, match="probes=sharing: it looks at cells of serial mode"):
        campaign_from(PLAN | {"cells": [block | {"mode": "split", "offered_mpps": [1.0]}]}, "plan")
    flood = block | {"mode": "split", "offered_mpps": ["flood"]}
    assert campaign_from(PLAN | {"cells": [flood]}, "plan").probes == ["sharing"]


@pytest.mark.root
def test_the_work_is_timed_two_hundred_times_a_second_until_the_watch_ends():
    began_ns = time.monotonic_ns()
    with open_sharing_watch([CORE]) as watch, watch.watching() as looks:
        time.sleep(0.3)
    ended_ns, own = time.monotonic_ns(), looks[CORE]
    assert 10 <= len(own) <= 2 + (ended_ns - began_ns) / EVERY_NS
    assert [look.at_ns for look in own] == sorted(look.at_ns for look in own)
    assert began_ns < own[0].at_ns < own[-1].at_ns < ended_ns
    assert min(min(look.wide_ns, look.chain_ns) for look in own) > 0


@pytest.mark.root
def test_others_are_seen_beside_a_piece_of_work():
    with seeing_others([CORE]) as seen:
        time.sleep(0.3)
    assert isinstance(seen.ratio, float)
    assert 0.0 <= seen.ratio <= 1.0
    assert sharing.sample_sharing([CORE], 0.1) is not None


def test_where_nobody_can_look_nothing_is_said(monkeypatch):
    def missing(name):
        raise cannot_here(name, why="it is not built", do="make native")

    monkeypatch.setattr(built, "runner", missing)
    with seeing_others([CORE]) as seen:
        pass
    assert seen.ratio is None
    assert sharing.sample_sharing([CORE], 0.1) is None


@pytest.mark.root
def test_a_core_that_is_not_there_is_refused():
    argv = [built.runner("sharing_probe"), "--core", "1023"]
    with (
        pytest.raises(CannotHereError, match="core: Invalid argument"),
        hold_process("sharing probe", argv),
    ):
        pass


@pytest.mark.root
@pytest.mark.parametrize(
    "cell", [XDP, pytest.param(SWX, marks=pytest.mark.dpdk)], ids=lambda cell: cell.datapath
)
def test_a_trial_is_looked_at_while_it_runs(cell):
    with open_bench(cell) as bench, probed(bench, ["sharing"]) as looked_at:
        seen = looked_at.run_trial(FLOOD, Timing(warm_up_seconds=0.02, seconds=0.2))
    assert 5 <= seen.probes["sharing_looks"] <= 2 + 1e9 * seen.duration_s / EVERY_NS
    assert 0 <= seen.probes["sharing_shared_looks"] <= seen.probes["sharing_looks"]
    (quantiles_ns,) = seen.stretches_ns
    assert len(quantiles_ns) == 40
    assert list(quantiles_ns) == sorted(quantiles_ns)
    alone_mpps = unshared_mpps(seen, math.inf)
    assert math.isnan(alone_mpps) or seen.forwarded_mpps < 1.05 * alone_mpps


@pytest.mark.root
@pytest.mark.dpdk
def test_a_bench_without_a_device_of_the_kernel_refuses_the_probes_of_one():
    with (
        open_bench(SWX) as bench,
        pytest.raises(CannotHereError, match="probes=stalls"),
        probed(bench, ["sharing", "stalls"]),
    ):
        pass
