"""Intervals of mean latency, with and without a probe that watched for stalls."""

import numpy as np
import pandas as pd
import pytest

from linerate.models.answers.under_load import UnderLoad
from linerate.models.kinds.latency import KIND
from linerate.models.latency import fit_latency

from ..planted import cells_table, split_table


def answered(runs):
    """What is answered of one cell."""
    columns = KIND.answer(fit_latency(runs), cells_table(offered_mpps=[1.0]), None)
    known = {name: np.asarray(values)[0].item() for name, values in columns.items()}
    return UnderLoad(**{name: value for name, value in known.items() if not pd.isna(value)})


@pytest.fixture(scope="module")
def answers():
    """What is answered by runs without a probe, and by the same with one."""
    runs = split_table()
    mean_us = runs["latency_mean_us"]
    runs = runs.assign(latency_p50_us=0.8 * mean_us, latency_p99_us=3.0 * mean_us)
    return [
        answered(runs.assign(stall_watched_ns=watched_ns)) for watched_ns in (None, 500_000_000)
    ]


def test_latency_without_a_stall_probe_is_wider_and_says_so(answers):
    without, with_probe = answers
    assert without.latency_mean_us == pytest.approx(with_probe.latency_mean_us)
    assert without.latency_lower_us < with_probe.latency_lower_us
    assert without.latency_upper_us > with_probe.latency_upper_us
    assert "No probe watched for stalls" in str(without)
    assert "No probe watched for stalls" not in str(with_probe)


def test_quantiles_without_a_stall_probe_are_answered_and_said_to_hold_what_stalls_added(answers):
    """They are regressions on runs, whose stalls they hold, and have no interval to widen."""
    without, with_probe = answers
    assert without.latency_p50_us == pytest.approx(with_probe.latency_p50_us)
    assert without.latency_p99_us == pytest.approx(with_probe.latency_p99_us)
    assert without.latency_mean_us < without.latency_p99_us
    assert "p50 and p99 hold what they added to these" in str(without)
    assert "p50 and p99 hold" not in str(with_probe)


def test_runs_without_quantiles_say_of_the_interval_alone():
    output = str(answered(split_table()))
    assert "the interval holds none of what they add, and twice as much." in output
    assert "p50" not in output


def test_quantiles_alone_are_said_to_be_without_a_probe_too():
    output = str(UnderLoad(latency_p50_us=5.0, latency_p99_us=9.0, latency_stalls_watched=False))
    assert output.endswith("beside these runs: p50 and p99 hold what they added to these.")


def test_an_interval_holds_the_mean_and_is_narrow_where_runs_are_as_planted(answers):
    _, planted = answers
    assert planted.latency_lower_us <= planted.latency_mean_us <= planted.latency_upper_us
    assert np.log(planted.latency_upper_us / planted.latency_lower_us) < 0.2
