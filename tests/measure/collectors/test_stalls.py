"""Gaps of an idle core, counted by the probe's own process."""

import json
import math
import os
import time

import pandas as pd
import pytest

from linerate.cells import Cell, Load
from linerate.errors import BadInputError, CannotHereError
from linerate.measure.campaign.campaign import campaign_from, read_campaign
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.collectors.probed import probed
from linerate.measure.collectors.stalls import StallCounts, open_stall_watch
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.processes import built
from linerate.measure.processes.held import hold_process
from linerate.measure.trials.bench import Timing
from linerate.tables.probe_columns import probe_columns

CORE = max(os.sched_getaffinity(0))
BLOCK = {
    "mode": "split", "datapath": ["xdp_native"], "program": ["xdp_tx"], "queues": [1],
    "frame_bytes": [64], "link_gbps": 10.0, "offered_mpps": [0.2], "arrivals": "poisson",
}  # fmt: skip
PLAN = {"name": "plan", "lab": "veth", "repetitions": 1, "warm_up_seconds": 0.1, "cells": [BLOCK]}


@pytest.fixture
def probe():
    argv = [built.runner("stall_probe"), "--core", str(CORE)]
    with hold_process("stall probe", argv, greets=False) as held:
        yield held


def watched(probe, seconds):
    probe.tell("begin")
    time.sleep(seconds)
    return json.loads(probe.ask("end"))


@pytest.mark.root
def test_a_watch_counts_each_gap_once(probe):
    for seconds in (0.05, 0.1):
        seen = StallCounts(**watched(probe, seconds))
        assert seen.watched_ns >= 0.5e9 * seconds
        assert seen.gaps == sum(seen.bins)
        assert seen.longest_ns <= seen.gap_ns <= seen.watched_ns
        shortest = sum(5_000 * 2**place * gaps for place, gaps in enumerate(seen.bins))
        assert shortest <= seen.gap_ns


@pytest.mark.root
def test_a_core_that_others_use_shows_gaps(probe):
    pid = os.fork()
    if not pid:
        os.sched_setaffinity(0, {CORE})
        while True:
            pass
    try:
        seen = watched(probe, 0.3)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert seen["gap_ns"] > 0.1 * seen["watched_ns"]


@pytest.mark.root
def test_a_core_that_is_not_there_is_refused():
    argv = [built.runner("stall_probe"), "--core", "1023"]
    with (
        pytest.raises(CannotHereError, match="core: Invalid argument"),
        hold_process("stall probe", argv, greets=False) as probe,
    ):
        probe.ask("begin")


@pytest.mark.root
def test_stalls_are_watched_before_after_and_beside_a_trial():
    load = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
    cell = Cell(lab="veth", mode="serial", datapath="xdp_native", program="xdp_tx",
                memory_accesses=0, queues=1, link_gbps=math.inf, load=load)  # fmt: skip
    with open_bench(cell) as bench, probed(bench, ["stalls"]) as looked_at:
        trial = looked_at.run_trial(load, Timing(warm_up_seconds=0.02, seconds=0.1))
    columns = pd.Series(probe_columns([trial, trial]))
    assert columns["probes"] == "stalls"
    assert columns["stall_longest_ns"] == trial.probes["stall_longest_ns"]
    gaps = json.loads(columns["stall_gaps_by_us"])
    assert sum(gaps.values()) == columns["stall_gaps"] == 2 * trial.probes["stall_gaps"]
    spare = len(os.sched_getaffinity(0)) > 1
    assert (columns["stall_beside_ns"] > 0.1e9) == spare
    assert columns["stall_watched_ns"] > columns["stall_beside_ns"] + 0.8e9


@pytest.mark.root
def test_a_lab_without_an_idle_core_is_refused(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with open_veth_lab("serial", 1, gro=False) as lab:
        point = ProbePoint.of_lab(lab, polled=True)
        with (
            pytest.raises(CannotHereError, match="no core of this machine is ever idle"),
            open_stall_watch(point),
        ):
            pass


def test_a_campaign_of_latency_has_long_trials_and_the_probe():
    campaign = campaign_from(PLAN, "plan")
    assert (campaign.trial_seconds, campaign.probes) == (10.0, ["stalls"])


def test_what_a_campaign_of_latency_names_is_kept():
    campaign = campaign_from(PLAN | {"trial_seconds": 0.5, "probes": []}, "plan")
    assert (campaign.trial_seconds, campaign.probes) == (0.5, [])


@pytest.mark.parametrize("change", [{"mode": "serial"}, {"offered_mpps": ["flood"]}], ids=str)
def test_other_campaigns_name_the_length_of_their_trials(change):
    with pytest.raises(BadInputError, match="trial_seconds"):
        campaign_from(PLAN | {"cells": [BLOCK | change]}, "plan")


def test_the_campaign_of_latency_that_ships_says_so(repository):
    assert read_campaign(repository / "data/campaigns/latency.toml").is_long
