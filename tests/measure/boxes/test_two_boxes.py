"""Two testbeds of this machine measure one campaign, and lose each other and their scheduler."""

import json
import time
from datetime import datetime
from itertools import pairwise

import pytest

from linerate.tables.runs import read_runs

from .. import leftovers
from .lab import PATIENCE_SECONDS, LocalLab, await_words, write_plan

pytestmark = [pytest.mark.root, pytest.mark.long]
RUNS, TRIALS = 8, 2
"""Of the campaign: native and generic XDP, two counts of accesses, two repetitions."""


@pytest.fixture
def lab(tmp_path, mark):
    lab = LocalLab(tmp_path)
    lab.start_scheduler()
    yield lab
    lab.end()


def journal(out):
    path = out / "journal.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def await_trials(out, process, count, box=None):
    end = time.monotonic() + PATIENCE_SECONDS
    while sum(box in (None, each["box"]) for each in journal(out)) < count:
        assert process.returncode is None, process.communicate()
        assert time.monotonic() < end, process.outputs[1].read_text()
        time.sleep(0.02)


def ended(process):
    output, errors = process.communicate(PATIENCE_SECONDS)
    assert process.returncode == 0, errors
    return output


def spans(entries):
    """Seconds in which each trial sent, in order."""
    begins = [datetime.fromisoformat(each["trial"]["started_at"]).timestamp() for each in entries]
    lengths = [each["trial"]["duration_s"] for each in entries]
    return sorted((begin, begin + length) for begin, length in zip(begins, lengths, strict=True))


def check_whole(out, runs=RUNS):
    """Every planned run is finished once, and no two trials ran beside each other."""
    entries = journal(out)
    planned = [each["run_id"].split("@")[0] for each in entries if not each["canary"]]
    assert {run: planned.count(run) for run in planned} == dict.fromkeys(planned, TRIALS)
    assert len(set(planned)) == runs
    times = spans(entries)
    assert all(end <= begin + 0.001 for (_, end), (begin, _) in pairwise(times))
    return entries


def test_a_campaign_is_whole_though_one_of_its_boxes_is_killed(lab, tmp_path):
    before, out = leftovers.kernel_objects(), tmp_path / "out"
    for name in ("alpha", "beta"):
        lab.start_box(name)
    measuring = lab.measure(write_plan(tmp_path / "plan.toml", trials=TRIALS), out)
    await_trials(out, measuring, 1, "alpha")
    of_alpha = [each for each in journal(out) if each["box"] == "alpha"]
    lab.kill("alpha")
    ended(measuring)
    entries = check_whole(out)
    assert all(each in entries for each in of_alpha)
    runs = read_runs([out / "runs.csv"])
    assert set(runs["box"]) <= {"alpha", "beta"}
    assert "beta" in set(runs["box"])
    assert (runs["box"] == runs["run_id"].str.partition("@")[2].str.partition("+")[0]).all()
    lab.end()
    assert leftovers.left_behind(before) == {}


@pytest.mark.deep
def test_boxes_share_the_runs_and_keep_nothing_of_a_finished_campaign(lab, tmp_path):
    for name in ("alpha", "beta"):
        lab.start_box(name)
    out = tmp_path / "out"
    path = write_plan(tmp_path / "plan.toml", trials=TRIALS, canary_every=3)
    ended(lab.measure(path, out))
    entries = check_whole(out)
    for box in ("alpha", "beta"):
        own = [each for each in entries if each["box"] == box]
        assert next(each["canary"] for each in own), "each box begins with its canary"
        assert len({each["run_id"] for each in own}) >= 3
        kept = [path.name for path in (tmp_path / f"spool-{box}").iterdir()]
        assert kept == ["scratch"]


@pytest.mark.deep
def test_a_scheduler_may_restart(lab, tmp_path):
    lab.start_box("alpha")
    out = tmp_path / "out"
    measuring = lab.measure(write_plan(tmp_path / "plan.toml", trials=TRIALS), out)
    await_trials(out, measuring, 2)
    lab.kill("scheduler")
    await_words(measuring, "it is waited for")
    lab.start_scheduler()
    ended(measuring)
    check_whole(out)


@pytest.mark.deep
def test_what_a_box_measured_while_nobody_listened_is_taken_on_resume(lab, tmp_path):
    lab.start_box("alpha")
    out = tmp_path / "out"
    path = write_plan(tmp_path / "plan.toml", trials=TRIALS)
    measuring = lab.measure(path, out)
    await_trials(out, measuring, 1)
    measuring.kill()
    measuring.wait(10)
    kept = next(each for each in (tmp_path / "spool-alpha").glob("*/journal.jsonl"))
    end = time.monotonic() + PATIENCE_SECONDS
    while kept.read_bytes().count(b"\n") < TRIALS and time.monotonic() < end:
        time.sleep(0.02)
    unheard = [json.loads(line)["trial"] for line in kept.read_text().splitlines()]
    ended(lab.measure(path, out, "--resume"))
    taken = [each["trial"] for each in check_whole(out)]
    assert all(each in taken for each in unheard)
