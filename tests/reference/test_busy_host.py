"""The campaign of an hour in which others used the cores, as docs/method/shared-cores.md has it."""

import numpy as np
import pandas as pd
import pytest

from linerate.models import Capacity, training_of, validate
from linerate.tables.runs import read_runs


@pytest.fixture(scope="module")
def runs(repository):
    return read_runs([repository / "data/reference-busy-host"])


def held_out(runs):
    return validate(Capacity, training_of(runs), rng=np.random.default_rng(0)).scores


def test_no_rate_is_more_than_was_offered_or_less_than_was_counted(runs):
    assert (runs["unshared_mpps"] <= runs["offered_mpps"] + 1e-9).all()
    assert (runs["unshared_mpps"] >= runs["forwarded_mpps"] - 1e-9).all()
    assert runs["shared_core_ratio"].mean() == pytest.approx(0.56, abs=0.01)


def test_rates_with_the_cores_to_itself_are_predicted_far_better(runs):
    counted, alone = held_out(runs.drop(columns="unshared_mpps")), held_out(runs)
    assert alone.error.median_percent < 0.4 * counted.error.median_percent
    assert alone.error.mean_percent < 0.6 * counted.error.mean_percent
    assert 0.85 < alone.coverage < 0.95


def test_first_trials_are_of_the_same_loads(repository, runs):
    first = read_runs([repository / "data/reference-busy-host/first-trials.csv"])
    assert set(first["run_id"]) == set(runs["run_id"])
    assert first["unshared_mpps"].isna().all()
    assert pd.Series(first["trials"]).eq(1).all()
