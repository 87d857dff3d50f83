"""Some attacks on a campaign; ``make attack`` has many more."""

import json
import os
import random
import time
from datetime import datetime
from itertools import pairwise

import pytest

from linerate.measure.labs.napi import napi_threads

from .attack import attack
from .campaigns import Campaign, Found
from .faults import CLOCK_SET, FAULTS, POLLS_MOVED
from .siege import besiege

pytestmark = [pytest.mark.deep, pytest.mark.root, pytest.mark.usefixtures("mark")]
SECONDS = 1.5
SEED = 1
"""Draws the first core, where the generator of a lab of one queue is."""


def test_nothing_stays_and_nothing_finished_is_lost_where_a_link_goes(tmp_path):
    assert attack(tmp_path, "xdp_native", "link gone", 0, SECONDS).words == []


def test_nothing_stays_and_nothing_finished_is_lost_by_kills(tmp_path):
    siege = besiege(tmp_path, "xdp_native", 0, SECONDS)
    assert siege.found.words == []
    assert siege.kills


def test_nothing_is_lost_where_the_clock_is_set(tmp_path):
    assert attack(tmp_path, "xdp_native", CLOCK_SET, 0, 0.0).words == []
    step = int((tmp_path / "clock").read_text())
    trials = map(json.loads, (tmp_path / "out/journal.jsonl").read_text().splitlines())
    starts = [datetime.fromisoformat(each["trial"]["started_at"]) for each in trials]
    steps = [(after - before).total_seconds() for before, after in pairwise(starts)]
    assert step
    assert max(abs(each) for each in steps) > 0.9 * abs(step), "it was set between two trials"


def test_polls_of_a_lab_are_moved_and_nothing_is_lost(tmp_path):
    campaign, found = Campaign("xdp_generic", tmp_path), Found()
    process = campaign.start()
    device = f"dut{process.pid % 100000}"
    while process.poll() is None and not campaign.trials():
        time.sleep(0.01)
    core = random.Random(SEED).choice(sorted(os.sched_getaffinity(0)))
    with FAULTS[POLLS_MOVED](campaign, process, random.Random(SEED)):
        placed = [os.sched_getaffinity(thread) for thread in napi_threads(device)]
    assert placed == [{core}]
    campaign.judge(process, found)
    campaign.finish(process, found)
    assert found.words == []


def test_what_is_left_or_lost_is_found(tmp_path):
    campaign, found = Campaign("xdp_native", tmp_path), Found()
    process = campaign.start()
    (campaign.temporary / "left").touch()
    campaign.judge(process, found)
    assert process.returncode == 0
    journal = campaign.out / "journal.jsonl"
    first, rest = journal.read_bytes().split(b"\n", 1)
    whole, lines = campaign.trials, [first + b"\n" + rest]
    campaign.trials = lambda: lines.pop() if lines else whole()
    journal.write_bytes(rest)
    process = campaign.start("--resume")
    process.kill()
    process.wait()
    campaign.finish(process, found)
    assert [words.partition(":")[0] for words in found.words[:1]] == ["files left"]
    assert "finished trials were lost" in found.words
