"""Progress is what the plan and the journal say, and nothing beside."""

import math
from dataclasses import replace

import pytest

from linerate.measure.campaign.order import PlannedRun
from linerate.measure.live.events import RunJudged, line_mpps
from linerate.measure.live.progress import Progress
from linerate.tables.tidy import runs_from

from ...files.finished import BOX
from .planted import CAMPAIGN, INVALID, RUNS, SUSPECT, folder, trial, trials


def progress_of(entries, **options):
    progress = Progress(campaign=CAMPAIGN, **options)
    return progress, [event for one in entries for event in progress.take(one)]


def test_runs_and_cells_are_counted_until_none_is_left():
    progress, _ = progress_of([])
    assert (progress.cells, progress.cells_left, progress.is_whole) == (4, 4, False)
    for number, one in enumerate(trials(), start=1):
        assert not progress.is_whole
        planned = progress.next_planned()
        assert isinstance(planned, PlannedRun)
        assert planned.run_id == one.run_id
        progress.take(one)
        assert len(progress.verdicts) == number
    assert (progress.cells_left, progress.is_whole, progress.next_planned()) == (0, True, None)


def test_a_cell_is_left_until_its_last_repetition():
    first_round = [one for one in trials() if one.canary or one.repetition == 1]
    progress, _ = progress_of(first_round)
    assert progress.cells_left == 4


def test_a_cell_of_which_the_journal_says_more_is_the_planned_one():
    finished = [
        replace(one, cell=replace(one.cell, operations=(("receive", 1),))) for one in trials()
    ]
    progress, _ = progress_of(finished)
    assert (progress.cells, progress.cells_left) == (4, 0)


def test_events_of_a_run_come_in_order_and_say_what_the_table_says(tmp_path):
    doubted = [trial(RUNS[2], second, verdict=SUSPECT) for second in (4, 5, 6)]
    entries = [*trials(2), *doubted]
    _, events = progress_of(entries)
    of_one = ["trial_finished", "run_finished", "run_judged"]
    names = [event.event for event in events]
    assert names == [*of_one, *of_one, "trial_finished", "trial_finished", *of_one]
    judged = {event.run_id: event for event in events if isinstance(event, RunJudged)}
    table = runs_from(entries, BOX, "planted", "").set_index("run_id")
    assert len(table) == 2, "the canary is not a row"
    for run_id, row in zip(table.index.astype(str), table.to_dict("records"), strict=True):
        assert judged[run_id].forwarded_mpps == pytest.approx(row["forwarded_mpps"])
        assert judged[run_id].verdict == row["verdict"]
        assert "; ".join(judged[run_id].reasons) == row["verdict_reason"]
    assert judged[RUNS[2].run_id].verdict == "suspect"


def test_a_disturbed_trial_is_taken_again_before_its_run_is_judged():
    again = [trial(RUNS[0], second, verdict=SUSPECT) for second in range(2)]
    progress, events = progress_of(again)
    assert [event.event for event in events] == ["trial_finished"] * 2
    assert [event.to_dict()["trial"] for event in events] == [1, 1]
    assert progress.trial_of(RUNS[0]) == (1, 2)
    events = progress.take(trial(RUNS[0], 3))
    assert [event.event for event in events] == ["trial_finished", "run_finished", "run_judged"]
    finished, judged = (event.to_dict() for event in events[1:])
    assert (finished["trials"], judged["trials"], judged["verdict"]) == (3, 1, "valid")


def test_what_failed_and_is_measured_again_is_one_run():
    failed = trial(RUNS[1], 0, verdict=INVALID, failure="it crashed")
    progress, _ = progress_of([failed])
    assert progress.failed == {RUNS[1].run_id}
    progress.take(trial(RUNS[1], 5, run_id=f"{RUNS[1].run_id}+1"))
    assert progress.failed == set()
    assert progress.counted == {"valid": 1}


def test_an_adaptive_campaign_does_not_say_what_is_next():
    progress, _ = progress_of(trials(2), adaptive=True)
    assert progress.next_planned() is None
    assert progress.searches == ()


def test_a_folder_is_folded_as_its_trials_were(tmp_path):
    entries = trials(5)
    progress, _ = progress_of(entries)
    read = Progress.of(CAMPAIGN, folder(tmp_path / "out", entries), adaptive=False)
    assert read.verdicts == progress.verdicts
    assert list(read.rates_mpps) == list(progress.rates_mpps)
    assert read.pace.run_s == progress.pace.run_s == [2.0] * 4


def test_a_load_without_a_link_has_no_line_rate():
    assert line_mpps(RUNS[0].cell) == pytest.approx(14.880952)
    assert line_mpps(replace(RUNS[0].cell, link_gbps=math.inf)) is None
