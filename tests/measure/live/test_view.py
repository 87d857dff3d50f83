"""A view is numbers, and lines of text that say them; what is not known is not said."""

import json
from dataclasses import replace
from datetime import datetime

import pytest

from linerate.measure.live.progress import Progress
from linerate.measure.live.view import ASCII, drift_of, duration, line, lines, sparkline, view_of

from ...files.finished import NOON
from .planted import CAMPAIGN, INVALID, RUNS, SUSPECT, trial, trials

NOW_S = NOON.timestamp()


def seen(entries, now_s=NOW_S, **options):
    progress = Progress(campaign=CAMPAIGN)
    for one in entries:
        progress.take(one)
    return view_of(progress, now_s, **options)


def test_the_whole_block():
    shown = lines(seen(trials(4), NOW_S + 7, owner=7))
    assert [text.split()[0] for text in shown] == ["planted:", "runs", "now", "last", "rates",
                                                   "left"]  # fmt: skip
    assert shown[0] == "planted: process 7 measures it"
    assert "4 of 11 runs finished, 4 of 4 cells left; 0 suspect, 0 invalid" in shown[1]
    assert f"{RUNS[4].run_id} trial 1 of 1: {RUNS[4].cell.datapath} map_lookup" in shown[2]
    assert "0.0036 of 14.88 Mpps line rate (0%), valid" in shown[3]
    assert "████  last 4 trials, 0 to 0.0036 Mpps" in shown[4]


def test_before_the_first_trial_nothing_is_said_of_rates_drift_and_end():
    shown = lines(seen([]))
    assert [text.split()[0] for text in shown] == ["planted:", "runs", "now"]
    assert "0 of 11 runs finished, 4 of 4 cells left" in shown[1]


def test_doubts_are_counted_and_their_reason_said():
    entries = trials(2)
    entries += [trial(RUNS[2], second, verdict=SUSPECT) for second in (4, 5, 6)]
    view = seen(entries)
    assert (view.valid, view.suspect, view.invalid) == (2, 1, 0)
    assert "suspect: the hypervisor took 9.0% of the CPU time" in "\n".join(lines(view))
    view = seen([*entries, trial(RUNS[3], 8, verdict=INVALID, failure="it crashed")])
    assert (view.suspect, view.invalid) == (1, 1)
    assert "1 suspect, 1 invalid" in line(view)


def test_time_left_is_that_of_the_runs_left():
    view = seen(trials(4), NOW_S + 6)  # the fourth began then, and each takes 2 s
    assert view.end_s == pytest.approx(NOW_S + 6 + 7 * 2)
    assert view.end_s
    text = f"14 s, until about {datetime.fromtimestamp(view.end_s):%H:%M}"
    assert lines(view)[-1].endswith(text)
    paused = seen(trials(4), NOW_S + 3600)
    assert paused.end_s
    assert paused.end_s >= NOW_S + 3600 + 6 * 2


def test_drift_is_the_canary_s_where_there_is_one():
    canaries = [run for run in RUNS if run.canary]
    assert len(canaries) > 2
    rates = (900, 1000, 800)
    entries = [
        trial(run, number, intended_packets=1000, sent_packets=1000, forwarded_packets=rate,
              dropped={}) for number, (run, rate) in enumerate(zip(canaries, rates, strict=False))
    ]  # fmt: skip
    view = seen(entries)
    assert view.drift
    assert view.drift.of == "canary"
    assert view.drift.ratio == pytest.approx(800 / 900)
    assert (view.drift.lower_ratio, view.drift.upper_ratio) == pytest.approx((800 / 900, 10 / 9))
    assert lines(view)[-2] == "  drift  canary -11.1% of its median (-11.1% to +11.1% in 3 runs)"


def test_without_a_canary_drift_is_of_cells_measured_again():
    progress = Progress(campaign=CAMPAIGN)
    runs = [run for run in RUNS if not run.canary]
    for number, run in enumerate(runs):
        packets = 900 if run.repetition == 1 else 810
        progress.take(trial(run, number, forwarded_packets=packets, dropped={}))
        if run.repetition == 1:
            assert drift_of(progress) is None
    drift = drift_of(progress)
    assert drift
    assert (drift.of, drift.runs) == ("repeated cells", 4)
    assert drift.ratio == pytest.approx(0.9)


def test_an_end_has_no_time_left():
    view = seen(trials(), state="ended")
    assert (view.current, view.end_s) == (None, None)
    assert lines(view)[0] == "planted: ended"


def test_a_view_is_json_with_times():
    fields = json.loads(json.dumps(seen(trials(4), NOW_S + 7, owner=7).to_dict()))
    assert fields["event"] == "progress"
    assert fields["now_at"].startswith("2026-11-20T12:00:07")
    assert fields["end_at"].startswith("2026-11-20T12:00:2")
    assert fields["current"]["id"] == RUNS[4].run_id
    assert fields["owner"] == 7


def test_a_sparkline_has_a_height_a_value():
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([1.0, 4.0, 8.0], ASCII) == ".=#"


def test_a_long_time_is_said_in_hours_and_its_day():
    assert duration(26 * 3600.0) == "26 h 0 min"
    view = replace(seen(trials(4)), now_s=NOW_S, end_s=NOW_S + 86400 * 2)
    assert "until about 2026-11-22" in lines(view)[-1]
