"""What learns from examples: the same each time, falling, and held where it saw nothing."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

from linerate.models import Boosting, Capacity, Forest, GaussianProcess, Hybrid, training_of
from linerate.models.learned.examples import EXAMPLES_MAX, rate_examples
from linerate.models.learned.knots import knots_of
from linerate.models.learned.smooth import SEARCHED_MAX
from linerate.models.runs.cells import cells_of

from .planted import cells_table, lab_table

LEARNERS = (Forest, Boosting, GaussianProcess)


def bent_table():
    """Planted runs whose rates physics misses by a factor that swings with accesses."""
    runs = lab_table(noise=0.005)
    swing = 1.0 + 0.15 * np.sin(np.log1p(runs["memory_accesses"]))
    return runs.assign(
        forwarded_mpps=np.minimum(runs["offered_mpps"], runs["forwarded_mpps"] * swing)
    )


def below_line_error(model, training):
    medians = training.medians()
    below = medians.forwarded_mpps < 0.99 * medians.ceiling_mpps
    predicted = model.limits(medians.cells).predicted_mpps
    return np.abs(predicted / medians.forwarded_mpps - 1.0)[below].mean()


@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: model.name)
def test_the_same_examples_and_seed_teach_the_same(model):
    runs = lab_table(noise=0.05)
    first, second = (model.fit(training_of(runs)) for _ in range(2))
    assert first == second
    asked = training_of(runs).cells
    assert (first.limits(asked).service_mpps == second.limits(asked).service_mpps).all()


def test_another_seed_grows_another_forest():
    training = training_of(lab_table(noise=0.05))
    grown = Forest.fit(training)
    other = Forest(examples=grown.examples, seed=grown.seed + 1)
    asked = training.cells
    assert (grown.limits(asked).service_mpps != other.limits(asked).service_mpps).any()


@pytest.mark.parametrize("model", [*LEARNERS, Hybrid], ids=lambda model: model.name)
def test_noise_never_makes_a_rate_rise_with_accesses(model):
    fitted = model.fit(training_of(lab_table(noise=0.3, reloads=1)))
    for queues in (1, 2):
        asked = cells_table(memory_accesses=np.arange(0, 15000, 37), queues=queues, frame_bytes=64)
        mpps = fitted.limits(cells_of(asked, fitted.pairs)).service_mpps
        assert (np.diff(np.log(mpps)) <= 1e-9).all()


@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: model.name)
def test_a_learner_repeats_its_edge_outside(model):
    fitted = model.fit(training_of(lab_table()))
    edge, outside = fitted.limits(
        cells_of(cells_table(memory_accesses=[12800, 10**6]), fitted.pairs)
    ).service_mpps
    assert outside == pytest.approx(edge)


def test_a_hybrid_learns_what_physics_leaves_over():
    training = training_of(bent_table())
    physics, hybrid = (
        below_line_error(model.fit(training), training) for model in (Capacity, Hybrid)
    )  # fmt: skip
    assert hybrid < 0.5 * physics


def test_a_hybrid_of_planted_physics_is_that_physics():
    training = training_of(lab_table(noise=0.005))
    physics, hybrid = (model.fit(training) for model in (Capacity, Hybrid))
    predicted = [model.limits(training.cells).predicted_mpps for model in (physics, hybrid)]
    assert predicted[1] == pytest.approx(predicted[0], rel=0.02)


def test_a_hybrid_keeps_the_ceilings_of_physics():
    training = training_of(bent_table())
    hybrid = Hybrid.fit(training)
    limits = hybrid.limits(training.cells)
    physical = hybrid.capacity.limits(training.cells)
    assert (limits.ceiling_mpps == physical.ceiling_mpps).all()
    assert (limits.ceiling == physical.ceiling).all()


def test_offers_below_line_rate_teach_nothing():
    runs = lab_table()
    slow = runs.assign(offered_mpps=0.01, forwarded_mpps=0.01)
    both = training_of(runs.merge(slow, how="outer"))
    seen = rate_examples(both, np.random.default_rng(0))
    assert min(min(own.log_seen) for own in seen) > np.log(0.011)


def test_no_more_examples_are_kept_than_a_process_can_learn():
    accesses = tuple(range(0, 800, 2))
    seen = rate_examples(
        training_of(lab_table(accesses=accesses, sizes=(64, 128), reloads=1)),
        np.random.default_rng(0),
    )
    assert [len(own) for own in seen] == [EXAMPLES_MAX] * 2


@pytest.mark.parametrize("model", [GaussianProcess, Hybrid], ids=lambda model: model.name)
def test_length_scales_of_many_cells_are_searched_on_some(model, monkeypatch):
    given = []
    fit = GaussianProcessRegressor.fit
    monkeypatch.setattr(
        GaussianProcessRegressor, "fit",
        lambda self, cells, seen: given.append(len(cells)) or fit(self, cells, seen),
    )  # fmt: skip
    accesses = tuple(range(0, 300, 2))
    training = training_of(lab_table(accesses=accesses, sizes=(64, 65), reloads=1))
    fitted = model.fit(training)
    assert model.fit(training) is fitted
    assert given == [SEARCHED_MAX] * 2
    fitted.limits(training.cells)
    assert given[2:] == [len(own) for own in fitted.examples]
    assert min(given[2:]) > 2 * SEARCHED_MAX


def test_lines_between_knots_are_straight_and_held_at_the_ends():
    cells = cells_of(cells_table(memory_accesses=[0, 5, 10, 99]))
    knots = knots_of(cells, np.array([0.0, 10.0]))
    values = knots.table(np.array([4.0, 2.0]))
    places = knots.table(knots.cells.memory_accesses)
    assert knots.between(values, places, cells.memory_accesses).tolist() == [4.0, 3.0, 2.0, 2.0]
