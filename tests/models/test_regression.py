"""Regression of log rates: what each way of drawing the line is for."""

import numpy as np
import pytest

from linerate.models import LogMixed, LogOls, LogQuantile, LogWls, training_of
from linerate.models.regression import TERMS, sample_of, summaries

from .planted import lab_table

SLOPES = (0.7, 0.9, -0.2, -0.05, -0.1)
"""By each of ``TERMS``: rates below 10 Gbit/s for any of the planted cells."""
WAYS = (LogOls, LogWls, LogMixed, LogQuantile)


def power_table(**noise):
    """Runs whose log rates are linear in the terms."""
    runs = lab_table(queues=(1, 2, 4), sizes=(64, 128, 256), reloads=4)
    accesses = np.log1p(runs["memory_accesses"])
    terms = [1.0, np.log(runs["queues"]), accesses, accesses**2, np.log(runs["frame_bytes"])]
    log_mpps = sum(slope * term for slope, term in zip(SLOPES, terms, strict=True))
    return runs.assign(forwarded_mpps=np.exp(log_mpps + noise_of(runs, **noise)))


def noise_of(runs, *, single=0.02, load=0.0, wild=0.0):
    """Log deviation of each run: its own, its load's, and wild ones here and there."""
    rng = np.random.default_rng(4)
    keys = ["datapath", "queues", "memory_accesses", "repetition"]
    code = runs.groupby(keys).ngroup().to_numpy()
    of_load = load * rng.standard_normal(code.max() + 1)[code]
    strays = wild * (rng.random(len(runs)) < 0.1)
    return single * rng.standard_normal(len(runs)) + of_load - strays


@pytest.mark.parametrize("model", WAYS, ids=lambda model: model.name)
def test_planted_slopes_lie_in_their_intervals(model):
    fitted = model.fit(training_of(power_table()))
    for slopes, intervals in zip(fitted.slopes, fitted.intervals, strict=True):
        assert slopes == pytest.approx(SLOPES, abs=0.02)
        inside = [low <= true <= high for true, (low, high) in zip(SLOPES, intervals, strict=True)]
        assert sum(inside) >= len(TERMS) - 1, "each holds with a chance of nine in ten"


def test_the_luck_of_program_loads_widens_what_their_runs_seem_to_know():
    training = training_of(power_table(single=0.01, load=0.1))
    widths = {
        model: np.ptp(model.fit(training).intervals[0][1]) for model in (LogOls, LogMixed)
    }  # fmt: skip
    assert widths[LogMixed] > 1.3 * widths[LogOls]


def test_the_planted_luck_of_program_loads_is_found():
    training = training_of(power_table(single=0.01, load=0.1))
    results = LogMixed.results(training, training.cells.pairs[0])
    assert np.sqrt(float(results.cov_re.iloc[0, 0])) == pytest.approx(0.1, rel=0.2)


def test_the_median_is_not_moved_by_runs_far_off():
    training = training_of(power_table(single=0.005, wild=2.0))
    base, median = (model.fit(training).slopes[0][0] for model in (LogOls, LogQuantile))
    assert abs(median - SLOPES[0]) < 0.02 < abs(base - SLOPES[0])


def test_noisy_runs_weigh_less():
    runs = power_table(single=0.0)
    rng = np.random.default_rng(5)
    spread = 0.002 * np.sqrt(1.0 + runs["memory_accesses"])
    noisy = runs["forwarded_mpps"] * np.exp(
        np.minimum(spread, 0.3) * rng.standard_normal(len(runs))
    )
    training = training_of(runs.assign(forwarded_mpps=noisy))
    squares, weighed = (
        np.abs(np.subtract(model.fit(training).slopes[0], SLOPES)).max()
        for model in (LogOls, LogWls)
    )  # fmt: skip
    assert weighed < 0.5 * squares


def test_single_runs_of_each_load_tell_nothing_of_its_luck():
    runs = power_table()
    training = training_of(runs[runs["frame_bytes"] == 64])
    fitted = LogMixed.fit(training)
    assert fitted.slopes == LogOls.fit(training).slopes
    assert "cannot be separated from noise" in fitted.notes[0]


def test_terms_that_do_not_vary_are_left_out():
    training = training_of(power_table())
    alone = training.take(training.cells.queues == 2.0)
    sample = sample_of(alone, alone.cells.pairs[0])
    assert list(sample.terms.columns) == [term for term in TERMS if term != "log(queues)"]


@pytest.mark.parametrize("model", WAYS, ids=lambda model: model.name)
def test_each_has_statsmodels_own_summary(model):
    training = training_of(power_table())
    printed = summaries(model, training)
    assert len(printed) == 2
    assert printed[0].startswith("xdp_native/map_lookup\n")
    assert "log(accesses + 1)^2" in printed[0]
