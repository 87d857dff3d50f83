"""Regression of log rates: what each way of drawing the line is for."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.tools.sm_exceptions import ModelWarning

from linerate.models import LogMixed, LogOls, LogQuantile, LogWls, training_of
from linerate.models.regression import TERMS, sample_of, summaries
from linerate.models.regression.estimators import mixed
from linerate.models.regression.intercepts import Intercepts

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


def fitted_both_ways(**noise):
    training = training_of(power_table(**noise))
    training = training.take(np.random.default_rng(6).random(len(training)) < 0.7)
    sample = sample_of(training, training.cells.pairs[0])
    theirs = MixedLM(sample.log_mpps, sample.terms, groups=sample.load)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of a small variance
        return mixed(sample), theirs.fit(method="powell")


@pytest.mark.parametrize("load", [0.005, 0.05, 0.3])
def test_sums_over_loads_give_what_statsmodels_gives_load_by_load(load):
    ours, theirs = fitted_both_ways(single=0.02, load=load)
    assert np.unique([len(own) for own in ours.model.endog_li]).size > 1
    for at in (ours.params_object, theirs.params_object):
        slopes, ratio = at.fe_params, at.cov_re
        for one, other in (
            (ours.model.loglike(at), theirs.model.loglike(at)),
            (ours.model.get_fe_params(ratio, at.vcomp)[0],
             theirs.model.get_fe_params(ratio, at.vcomp)[0]),
            (ours.model.get_scale(slopes, ratio, at.vcomp),
             theirs.model.get_scale(slopes, ratio, at.vcomp)),
            (ours.model.hessian(at)[0], theirs.model.hessian(at)[0]),
        ):  # fmt: skip
            assert one == pytest.approx(other, rel=1e-9, abs=1e-9 * np.abs(other).max())


@pytest.mark.parametrize("load", [0.005, 0.05, 0.3])
def test_slopes_and_intervals_are_statsmodels_own(load):
    ours, theirs = fitted_both_ways(single=0.02, load=load)
    assert ours.fe_params.to_numpy() == pytest.approx(theirs.fe_params.to_numpy(), rel=1e-8)
    assert ours.bse_fe.to_numpy() == pytest.approx(theirs.bse_fe.to_numpy(), rel=1e-6)
    assert float(ours.cov_re.iloc[0, 0]) == pytest.approx(float(theirs.cov_re.iloc[0, 0]), rel=1e-5)
    assert str(ours.summary()) == str(theirs.summary())


def test_a_fit_of_a_hundred_thousand_loads_splits_no_load_off():
    rng = np.random.default_rng(7)
    load = np.repeat(np.arange(100_000), 2)
    terms = pd.DataFrame({"1": 1.0, "log(queues)": rng.normal(size=load.size)})
    log_mpps = 1.0 + 0.5 * terms["log(queues)"] + 0.1 * rng.normal(size=100_000)[load]
    log_mpps += 0.05 * rng.normal(size=load.size)
    model = Intercepts(log_mpps, terms, load)
    ratio = np.array([2.0])
    before = model.loglike(ratio)
    slopes, _ = model.get_fe_params(np.array([[4.0]]), np.empty(0))
    assert slopes == pytest.approx([1.0, 0.5], abs=0.002)
    assert before > max(model.loglike(ratio / 2), model.loglike(ratio * 2))


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


def test_a_singular_design_is_fitted_by_least_squares_and_says_so():
    """A table cannot ask for one: of terms that vary together all but the first are left out."""
    training = training_of(power_table(single=0.01, load=0.1))
    sample = sample_of(training, training.cells.pairs[0])
    again = sample.terms.assign(again=sample.terms["log(queues)"])
    with pytest.warns(ModelWarning, match="rank-deficient"):
        fitted = mixed(replace(sample, terms=again))
    assert "cannot be separated from noise: least squares" in LogMixed.remarks(fitted)[0]
    whole = fitted.params["log(queues)"] + fitted.params["again"]
    assert whole == pytest.approx(SLOPES[1], abs=0.1)


@pytest.mark.parametrize("model", WAYS, ids=lambda model: model.name)
def test_factors_that_vary_together_leave_one_slope(model):
    runs = power_table()
    together = {1: 400, 2: 1600, 4: 6400}
    runs = runs[runs["memory_accesses"] == runs["queues"].map(together)]
    fitted = model.fit(training_of(runs))
    slopes = dict(zip(TERMS, fitted.slopes[0], strict=True))
    assert slopes["log(queues)"] != 0.0
    assert slopes["log(accesses + 1)^2"] == 0.0
    assert np.isfinite(fitted.slopes).all()


@pytest.mark.parametrize("model", WAYS, ids=lambda model: model.name)
def test_each_has_statsmodels_own_summary(model):
    training = training_of(power_table())
    printed = summaries(model, training)
    assert len(printed) == 2
    assert printed[0].startswith("xdp_native/map_lookup\n")
    assert "log(accesses + 1)^2" in printed[0]
