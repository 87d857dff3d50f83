"""A clock that is set while a trial runs."""

from dataclasses import replace

import pytest

from linerate.measure.trials import trial as module
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import watched
from linerate.measure.trials.validity import judge
from linerate.records import Latency, Ping

from ...files.finished import CELL, entry

TIMING = Timing(warm_up_seconds=0.0, seconds=1.0)
RTT = Latency(lower_ns=(1000,), counts=(1,), sum_ns=1000, max_ns=1000)
PINGED = replace(entry().trial, ping=Ping(sent=1, received=1, rtt=RTT))


@pytest.mark.parametrize(
    ("trial", "step_s", "reasons"),
    [
        (PINGED, 3600.0, ("the clock was set forwards by 3.6e+03 s, and ping takes its times by",)),
        (PINGED, -2.0, ("the clock was set back by 2 s, and ping takes its times by it",)),
        (PINGED, 0.01, ()),
        (entry().trial, -3600.0, ()),
    ],
    ids=["forwards", "back", "drift", "nothing is timed by it"],
)
def test_a_clock_that_is_set_makes_what_it_timed_suspect(trial, step_s, reasons, monkeypatch):
    clock = {"ahead_s": 1e9}
    monkeypatch.setattr(module, "time", lambda: module.monotonic() + clock["ahead_s"])

    def run_trial(load, timing):
        clock["ahead_s"] += step_s
        return trial

    seen = watched(run_trial)(CELL.load, TIMING)
    verdict = judge(CELL, replace(seen, steal_ratio=0.0))
    assert [output.startswith(words) for output, words in zip(verdict.reasons, reasons, strict=True)
            ] == [True] * len(reasons)  # fmt: skip
