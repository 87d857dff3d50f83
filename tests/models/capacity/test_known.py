"""The same runs are fitted once in a process."""

from dataclasses import replace

import pytest

from linerate.models.capacity import known as module
from linerate.models.capacity.known import FITS_MAX, known
from linerate.models.runs.training import training_of


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(module, "_KNOWN", {})


@pytest.fixture
def fitted(lab_runs):
    """Fit a table, and count how often that was done."""
    made = []

    class Fit:
        """Something fitted."""

    def fit(training):
        made.append(training)
        return Fit()

    training = training_of(lab_runs)
    return training, lambda runs: known(Fit, runs, fit), made


def test_equal_runs_are_fitted_once_and_others_anew(fitted):
    training, fit, made = fitted
    first = fit(training)
    assert fit(replace(training, forwarded_mpps=training.forwarded_mpps.copy())) is first
    assert fit(replace(training, forwarded_mpps=training.forwarded_mpps * 1.001)) is not first
    assert len(made) == 2


def test_no_more_fits_are_kept_than_so_many(fitted):
    training, fit, made = fitted
    first = fit(training)
    for number in range(FITS_MAX):
        fit(replace(training, forwarded_mpps=training.forwarded_mpps + number + 1.0))
    assert fit(training) is not first
    assert len(made) == FITS_MAX + 2
