"""Intervals of one load and of medians: scores that are alike count once."""

import numpy as np
import pytest

from linerate.models import Capacity, fit_predictor, training_of
from linerate.models.intervals.scores import SCORES_MAX, Held, half_width, worth_of

from ..planted import lab_table

LOAD_SPREAD = 0.05
Z_90 = 1.645


def in_groups(rng, groups, each, shared):
    """Scores of which a share of the variance belongs to the group."""
    code = np.repeat(np.arange(groups), each)
    own = rng.standard_normal(code.size)
    return np.sqrt(shared) * rng.standard_normal(groups)[code] + np.sqrt(1.0 - shared) * own, code


@pytest.fixture(scope="module")
def fitted():
    table = lab_table(accesses=tuple(range(0, 3000, 100)), sizes=(64, 128), noise=LOAD_SPREAD)
    training = training_of(table.assign(link_gbps=100.0, offered_mpps=np.inf))
    return training, fit_predictor(Capacity, training, np.random.default_rng(0))


def test_scores_that_are_alike_within_a_group_count_once():
    scores, code = in_groups(np.random.default_rng(0), 30, 10, shared=1.0)
    assert worth_of(scores, code) == pytest.approx(30.0, rel=0.02)


def test_scores_that_have_nothing_in_common_count_each():
    worths = [worth_of(*in_groups(np.random.default_rng(seed), 30, 10, shared=0.0))
              for seed in range(20)]  # fmt: skip
    assert np.mean(worths) > 0.7 * 300


def test_one_score_of_each_group_is_worth_itself():
    assert worth_of(np.array([0.1, 0.2, 0.3]), np.array([4, 5, 6])) == 3.0


def test_intervals_by_groups_cover_a_group_that_is_new():
    """Were each score counted by itself, fewer than nine of ten would be held."""
    rng, hits, by_itself = np.random.default_rng(5), [], []
    for _ in range(1500):
        scores, code = in_groups(rng, 12, 6, shared=0.9)
        new = abs(rng.standard_normal())
        hits.append(new <= half_width(scores, worth_of(scores, code)))
        by_itself.append(new <= half_width(scores))
    assert np.mean(hits) > 0.89
    assert np.mean(by_itself) < np.mean(hits) - 0.01


def test_one_load_may_lie_farther_off_than_the_median_of_three(fitted):
    training, predictor = fitted
    predicted = predictor.predict_cells(training.medians().cells)
    load = np.log(predicted.upper_mpps / predicted.predicted_mpps)
    median = np.log(predicted.upper_median_mpps / predicted.predicted_mpps)
    assert 0.9 * Z_90 * LOAD_SPREAD < load.mean() < 1.5 * Z_90 * LOAD_SPREAD
    assert median.mean() < 0.9 * load.mean()
    assert predictor.conformal.loads == 3


def test_nine_of_ten_loads_lie_inside_their_interval(fitted):
    training, predictor = fitted
    predicted = predictor.predict_cells(training.cells)
    held = (predicted.lower_mpps <= training.forwarded_mpps) & (
        training.forwarded_mpps <= predicted.upper_mpps
    )
    of_medians = (predicted.lower_median_mpps <= training.forwarded_mpps) & (
        training.forwarded_mpps <= predicted.upper_median_mpps
    )
    assert 0.85 <= held.mean() <= 0.96
    assert of_medians.mean() < 0.85


def test_quantiles_of_very_many_scores_are_worth_no_more_than_their_number():
    many = 2 * SCORES_MAX
    nothing = np.zeros(many)
    found = Held(
        score=np.random.default_rng(3).standard_normal(many), pair=np.zeros(many, dtype=np.intp),
        stage=np.full(many, "service"), accesses=nothing, group=np.arange(many),
    ).bucket(None)  # fmt: skip
    assert len(found.scores) == SCORES_MAX
    assert found.worth == SCORES_MAX
