"""Intervals of mean latency, with and without a probe that watched for stalls."""

import numpy as np
import pytest

from linerate.models.answers.under_load import UnderLoad
from linerate.models.kinds.latency import KIND
from linerate.models.latency import fit_latency

from ..planted import cells_table, split_table


@pytest.fixture(scope="module")
def answers():
    """What is answered by runs without a probe, and by the same with one."""
    found = []
    for watched_ns in (None, 500_000_000):
        model = fit_latency(split_table().assign(stall_watched_ns=watched_ns))
        columns = KIND.answer(model, cells_table(offered_mpps=[1.0]), None)
        known = {name: np.asarray(values)[0].item() for name, values in columns.items()}
        found.append(UnderLoad(**known))
    return found


def test_latency_without_a_stall_probe_is_wider_and_says_so(answers):
    without, with_probe = answers
    assert without.latency_mean_us == pytest.approx(with_probe.latency_mean_us)
    assert without.latency_lower_us < with_probe.latency_lower_us
    assert without.latency_upper_us > with_probe.latency_upper_us
    assert "No probe watched for stalls" in str(without)
    assert "No probe watched for stalls" not in str(with_probe)


def test_an_interval_holds_the_mean_and_is_narrow_where_runs_are_as_planted(answers):
    _, planted = answers
    assert planted.latency_lower_us <= planted.latency_mean_us <= planted.latency_upper_us
    assert np.log(planted.latency_upper_us / planted.latency_lower_us) < 0.2
