"""Variances of 0, and below: refused in words where a file has them, answered where runs do."""

import json

import numpy as np
import pytest

import linerate as lr
from linerate.errors import BadInputError
from linerate.models import MODELS, LogMixed, fit_predictor, load_model, training_of
from linerate.models.loans import predictor_of_box

from ..planted import cells_table, lab_table, planted_box

CLOCK_RATIO = 1.001
"""Least upper end of an interval over what is predicted: clocks are no better."""


@pytest.fixture(scope="module")
def few():
    """Give too few runs to be known by themselves."""
    runs = lab_table(reloads=2)
    return runs[(runs["queues"] == 1) & (runs["memory_accesses"] <= 800)]


@pytest.fixture(scope="module")
def saved(few, tmp_path_factory):
    """Give the path of a model file, and of one of a few runs that borrows from it."""
    folder = tmp_path_factory.mktemp("saved")
    lr.fit(lab_table(reloads=2), "capacity", progress=False).save(folder / "whole.json")
    lent = lr.fit(few, "capacity", prior=folder / "whole.json", progress=False)
    lent.save(folder / "lent.json")
    return folder


@pytest.fixture
def changed(saved, tmp_path):
    """Write a model file with another value at a place, names and numbers with points."""

    def write(name, place, value):
        fields = json.loads((saved / f"{name}.json").read_bytes())
        within = fields
        *path, last = [int(step) if step.isdigit() else step for step in place.split(".")]
        for step in path:
            within = within[step]
        within[last] = value
        (tmp_path / "changed.json").write_text(json.dumps(fields))
        return tmp_path / "changed.json"

    return write


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [("capacity.prior.spread", 0.0, "prior: its spread is 0, and must be above 0"),
     ("capacity.prior.spread", -0.5, "prior: its spread is -0.5, and must be above 0"),
     ("capacity.borrowed.0.covariance.0.0", -0.1, "borrowed, xdp_native.*: a variance is below 0"),
     ("conformal.load.ceiling_half_width", 0.0, "ceiling_half_width must be above 0"),
     ("conformal.load.ceiling_half_width", -0.1, "ceiling_half_width must be above 0"),
     ("conformal.load.buckets.0.worth", -1.0, "scores must be worth one")],
)  # fmt: skip
def test_a_model_file_with_a_spread_that_is_none_is_refused(changed, place, value, why):
    with pytest.raises(BadInputError, match=why):
        load_model(changed("lent", place, value))


def test_borrowed_constants_without_a_variance_leave_the_scores_that_were_lent(changed, saved):
    known = load_model(changed("lent", "capacity.borrowed.0.covariance", [[0.0] * 2] * 2))
    cells = cells_table(memory_accesses=[400])
    sure, open_ = (model.predict(cells) for model in (known, load_model(saved / "lent.json")))
    assert sure.predicted_mpps == open_.predicted_mpps
    assert sure.predicted_mpps < sure.upper_mpps < open_.upper_mpps


@pytest.mark.parametrize(
    ("constant", "value"), [("access_ns", 0.0), ("access_ns", 5e-324), ("base_ns", 1e308)]
)
def test_a_constant_without_a_logarithm_is_no_prior(changed, few, constant, value):
    prior = changed("whole", f"capacity.paths.0.{constant}", value)
    with pytest.raises(BadInputError, match=f"has {constant} .*, which no packet has"):
        lr.fit(few, "capacity", prior=prior, progress=False)


@pytest.mark.parametrize(("ns", "why"), [(-5.0, "base_ns is -5 ns"), (np.nan, "base_ns is nan ns"),
                                         (0.0, "no cost of a datapath and program")])  # fmt: skip
def test_a_box_with_a_cost_that_is_none_is_no_prior(ns, why):
    box = planted_box({"xdp_native.map_lookup.base_ns": ns})
    with pytest.raises(BadInputError, match=why):
        predictor_of_box(box)


@pytest.mark.parametrize("reloads", [1, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_loads_of_one_cell_without_a_variance_leave_at_least_what_a_clock_leaves(model, reloads):
    training = training_of(lab_table(noise=0.0, reloads=reloads))
    predictor = fit_predictor(model, training, np.random.default_rng(0))
    predicted = predictor.predict(cells_table(memory_accesses=[0, 400, 6400]))
    served = predicted.bottleneck == "service"
    assert served.any()
    assert (predicted.lower_mpps > 0.0).all()
    assert (predicted.upper_mpps[served] >= CLOCK_RATIO * predicted.predicted_mpps[served]).all()
    assert np.isfinite(predicted.sustains_line_rate).all()


def test_random_effects_without_a_variance_leave_least_squares_or_a_ratio_of_0():
    fitted = LogMixed.fit(training_of(lab_table(noise=0.0).assign(forwarded_mpps=0.5)))
    assert np.isfinite(fitted.slopes).all()
    assert fitted.slopes[0][0] == pytest.approx(np.log(0.5))
    assert fitted.slopes[0][1:] == pytest.approx([0.0] * 4, abs=1e-6)


def test_new_runs_that_all_say_the_same_show_no_drift_and_as_much_too_slow_do():
    runs = lab_table(noise=0.0)
    model = lr.fit(runs, "capacity", progress=False)
    same, _ = model.drift(runs)
    slower, _ = model.drift(runs.assign(forwarded_mpps=0.97 * runs["forwarded_mpps"]))
    assert same.groups_outside == 0
    assert slower.groups_outside == slower.groups
