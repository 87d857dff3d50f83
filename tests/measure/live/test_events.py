"""Events of a real campaign, as its own process prints them and as a watcher does."""

import signal
import time

import pytest

from linerate.tables.runs import read_runs

from ... import warm
from ..campaign.test_run import CANARIES, CELLS, PATIENCE_SECONDS, journal_lines
from .planted import events_of

pytestmark = pytest.mark.root


def test_a_real_campaign_prints_what_its_folder_says_to_a_watcher_too(small_campaign, tmp_path):
    plan, out = small_campaign(), tmp_path / "out"
    process = warm.start("measure", plan, "--out", out, "--json")
    end = time.monotonic() + PATIENCE_SECONDS
    while not journal_lines(out) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    watcher = warm.start("watch", out, "--json")
    output, words = process.communicate()
    assert process.returncode == 0, words
    events = events_of(output)
    names = [event["event"] for event in events]
    assert (names[0], names[-1]) == ("campaign_begun", "campaign_ended")
    assert names.count("run_finished") == names.count("run_judged") == CELLS + CANARIES
    assert names.count("trial_finished") == journal_lines(out)
    begun, ended = events[0], events[-1]
    assert (begun["planned_runs"], begun["cells"], begun["finished_runs"]) == (11, 8, 0)
    assert (ended["state"], ended["exit_code"], ended["runs"]) == ("ended", 0, CELLS)
    table = read_runs([out]).set_index("run_id")
    judged = {event["run_id"]: event for event in events if event["event"] == "run_judged"}
    for run_id, row in zip(table.index.astype(str), table.to_dict("records"), strict=True):
        assert judged[run_id]["forwarded_mpps"] == pytest.approx(row["forwarded_mpps"])
        assert judged[run_id]["verdict"] == row["verdict"]
    seen, words = watcher.communicate(timeout=PATIENCE_SECONDS)
    assert watcher.returncode == 0, words
    watched = events_of(seen)
    assert watched[1:-1] == events[1:-1]
    assert watched[-1].items() <= ended.items()


def test_a_stopped_campaign_says_so_in_its_last_line(small_campaign, tmp_path):
    plan, out = small_campaign(repetitions=3), tmp_path / "out"
    process = warm.start("measure", plan, "--out", out, "--json")
    process.readline()
    process.send_signal(signal.SIGINT)
    output, words = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, words
    last = events_of(output)[-1]
    assert (last["event"], last["state"], last["exit_code"]) == ("campaign_ended", "stopped", 130)
    assert last["finished_runs"] < last["planned_runs"]
