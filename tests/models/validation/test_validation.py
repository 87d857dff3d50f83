"""Held-out error, intervals and the choice of a model, on planted and on real runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from linerate.errors import BadInputError
from linerate.models import MODELS, Capacity, LogOls, noise_floor, training_of, validate
from linerate.models.intervals.scores import half_width
from linerate.models.validation import choice
from linerate.models.validation.choice import choose_model
from linerate.models.validation.folds import SPLITS, VALUES_MAX, fold_codes, partitions
from linerate.models.validation.held_out import held_out_by_fold, held_out_error
from linerate.models.validation.paired import chance_of
from linerate.models.validation.validation import by_value

from ..planted import lab_table

FRAME_COLUMNS = {
    "datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps",
    "line_rate_mpps", "ceiling_mpps", "runs", "measured_mpps", "predicted_mpps", "lower_mpps",
    "upper_mpps", "lower_median_mpps", "upper_median_mpps", "sustains_line_rate", "bottleneck",
    "in_domain", "runs_inside", "fold",
}  # fmt: skip


@pytest.fixture(scope="module")
def training(lab_runs):
    return training_of(lab_runs)


@pytest.fixture(scope="module")
def many_values():
    return training_of(lab_table(accesses=range(30), sizes=(64,), reloads=1))


@pytest.fixture(scope="module")
def real_validations(real_runs):
    training = training_of(real_runs)
    return {
        model.name: validate(model, training, rng=np.random.default_rng(0))
        for model in (Capacity, LogOls)
    }


@pytest.mark.parametrize("by", SPLITS)
def test_a_fold_never_shares_what_it_holds_out(training, by):
    folds = fold_codes(training, by, 5, np.random.default_rng(0))
    whole = {"group": training.group, "random": training.cell, "sparse": training.cell}
    held = whole.get(by)
    held = getattr(training.cells, by) if held is None else held
    assert pd.Series(folds).groupby(held).nunique().max() == 1


def test_every_cell_is_held_out_once(training):
    frame = validate(LogOls, training, rng=np.random.default_rng(0)).frame
    assert set(frame.columns) == FRAME_COLUMNS
    assert len(frame) == np.unique(training.cell).size
    assert not frame.duplicated(["datapath", "queues", "memory_accesses", "frame_bytes"]).any()


def test_sparse_learns_from_a_tenth_and_answers_for_the_rest(training):
    for seen, held in partitions(training, "sparse", 5, np.random.default_rng(0)):
        assert np.unique(seen.cell).size == pytest.approx(
            0.1 * np.unique(training.cell).size, abs=2
        )
        assert not np.isin(held.cell, seen.cell).any()
        assert len(seen) + len(held) == len(training)


def test_many_values_of_a_factor_are_held_out_several_at_a_time(many_values):
    codes = fold_codes(many_values, "memory_accesses", 5, np.random.default_rng(0))
    values = many_values.cells.memory_accesses
    assert np.unique(codes).size == VALUES_MAX
    folds = [np.unique(codes[values == value]) for value in np.unique(values)]
    assert {fold.size for fold in folds} == {1}
    first = np.concatenate(folds)[:VALUES_MAX]
    assert np.unique(first).size == VALUES_MAX  # neighbours are not held out together


def test_each_held_out_value_is_scored_by_itself(training):
    rng = np.random.default_rng(0)
    validation = validate(LogOls, training, by="queues", rng=rng)
    values = by_value(validation, training)
    assert list(values) == [1.0, 2.0]
    assert sum(scores.cells for scores in values.values()) == validation.scores.cells
    assert by_value(validate(LogOls, training, rng=rng), training) == {}


@pytest.mark.deep
def test_error_on_planted_runs_is_about_their_noise(training):
    scores = validate(Capacity, training, rng=np.random.default_rng(0)).scores
    assert scores.error.median_percent < 1.0
    assert scores.service_error is not None
    assert scores.service_error.median_percent < 1.5 * 1.3
    assert scores.verdict_accuracy is not None
    assert scores.verdict_accuracy > 0.97
    assert scores.coverage > 0.85


def test_noise_floor_needs_repetitions():
    assert noise_floor(training_of(lab_table(reloads=1))) is None
    floor = noise_floor(training_of(lab_table(noise=0.0)))
    assert floor is not None
    assert floor.mean_percent == pytest.approx(0.0)


def test_half_width_covers_nine_of_ten_new_scores():
    rng = np.random.default_rng(3)
    hits = [abs(rng.normal()) <= half_width(rng.normal(size=50)) for _ in range(2000)]
    assert np.mean(hits) == pytest.approx(0.9, abs=0.02)


def test_auto_prefers_the_physical_form_on_physical_runs(training):
    model, validation = choose_model(training, MODELS)
    assert model is Capacity
    assert validation is not None


def test_folds_of_a_validation_are_those_of_the_errors_alone(training):
    frame = validate(LogOls, training, rng=np.random.default_rng(0)).frame
    off = (frame["predicted_mpps"] / frame["measured_mpps"] - 1.0).abs()
    names = ("fold", "datapath", "program", "queues", "memory_accesses")
    by_fold = off.groupby([frame[name] for name in names]).mean().groupby("fold").mean()
    mean = float(by_fold.mean())
    assert held_out_by_fold(LogOls, training) == pytest.approx(by_fold.to_numpy())
    assert held_out_by_fold(LogOls, training, most=1.001 * mean) is not None
    assert held_out_by_fold(LogOls, training, most=0.999 * mean) is None
    assert held_out_error(LogOls, training).mean_percent == pytest.approx(100.0 * off.mean())


def test_auto_leaves_physics_where_another_is_better_by_more_than_luck():
    runs = lab_table(sizes=(64, 128, 256), noise=0.003)
    powers = 3.0 * runs["queues"] ** 0.5 * (runs["memory_accesses"] + 1.0) ** -0.3
    model, _ = choose_model(
        training_of(runs.assign(forwarded_mpps=powers * (64.0 / runs["frame_bytes"]) ** 0.2)),
        (Capacity, LogOls),
    )
    assert model is LogOls


@pytest.mark.parametrize(("floors", "tried"), [(1.2, []), (1.8, [Capacity])])
def test_others_are_tried_where_a_perfect_model_would_be_clearly_nearer(
    training, monkeypatch, floors, tried
):
    validation = validate(LogOls, training, rng=np.random.default_rng(0))
    floor = validation.scores.noise_floor
    assert floor is not None
    error = replace(floor, mean_percent=floors * floor.mean_percent)
    off = replace(validation, scores=replace(validation.scores, error=error))
    asked = []
    monkeypatch.setattr(choice, "validate_or_none", lambda *_: off)
    monkeypatch.setattr(choice, "held_out_by_fold", lambda model, *_, **__: asked.append(model))
    assert choice.choose_model(training, (LogOls, Capacity))[0] is LogOls
    assert asked == tried


def test_what_was_chosen_among_several_is_scored_on_folds_that_did_not_choose():
    runs = lab_table(sizes=(64, 128, 256), noise=0.1)
    powers = 3.0 * runs["queues"] ** 0.5 * (runs["memory_accesses"] + 1.0) ** -0.3
    noise = np.exp(0.1 * np.random.default_rng(4).standard_normal(len(runs)))
    planted = training_of(runs.assign(forwarded_mpps=powers * noise))
    model, validation = choose_model(planted, (Capacity, LogOls))
    assert validation is not None
    by_choosing, by_others = (validate(model, planted, rng=np.random.default_rng(seed)).scores
                              for seed in (0, 1))  # fmt: skip
    assert validation.scores.error == by_others.error != by_choosing.error


def test_folds_that_share_runs_tell_less_than_their_number():
    """Of five independent gains the chance would be below 0.02."""
    gain = np.array([0.02, 0.05, 0.01, 0.06, 0.03])
    assert ttest_1samp(gain, 0.0, alternative="greater").pvalue < 0.02
    assert chance_of(gain, 5) == pytest.approx(0.0354, abs=1e-4)
    assert chance_of(np.zeros(5), 5) == 1.0


def test_a_fold_whose_programs_are_not_seen_elsewhere_does_not_count():
    """Three programs of one group each, one of three: only folds of the latter answer."""
    runs = lab_table(queues=(1,), noise=0.1)
    native = runs[runs["datapath"] == "xdp_native"]
    counts = np.sort(native["memory_accesses"].unique())
    alone = native[native["memory_accesses"] == counts[0]]
    lone = [alone.assign(program=f"alone_{number}") for number in range(3)]
    some = native[native["memory_accesses"] <= counts[2]]
    mixed = training_of(pd.concat([*lone, some], ignore_index=True))
    errors = held_out_by_fold(LogOls, mixed)
    assert 2 <= errors.size < 5
    assert np.isfinite(errors).all()
    assert choose_model(mixed, MODELS)[1] is not None
    only = training_of(pd.concat(lone, ignore_index=True))
    assert choose_model(only, MODELS) == (Capacity, None)
    with pytest.raises(BadInputError, match="all runs of a program are held out together"):
        validate(Capacity, only, rng=np.random.default_rng(0))


def test_a_dealing_of_fewer_folds_tells_less():
    gain = np.array([0.02, 0.05, 0.03])
    assert chance_of(gain, 3) > chance_of(gain, 5)
    assert chance_of(gain[:1], 1) == 1.0


def test_ols_has_statsmodels_own_summary(training):
    summary = str(LogOls.results(training, training.cells.pairs[0]).summary())
    assert "log(accesses + 1)" in summary
    assert "R-squared" in summary


@pytest.mark.deep
def test_real_hardware_is_predicted_within_its_promise(real_validations):
    scores = real_validations["capacity"].scores
    assert scores.error.median_percent <= 4.0
    assert scores.error.mean_percent <= 8.0
    assert scores.verdict_accuracy >= 0.98
    assert 0.86 <= scores.coverage <= 0.94


@pytest.mark.deep
def test_real_hardware_is_not_predicted_better_than_it_repeats(real_validations):
    scores = real_validations["capacity"].scores
    assert scores.error.mean_percent > 0.8 * scores.noise_floor.mean_percent


@pytest.mark.deep
def test_physics_is_ahead_of_least_squares_on_real_hardware(real_validations):
    physics, squares = (real_validations[name].scores.error for name in ("capacity", "log_ols"))
    assert physics.median_percent < 0.5 * squares.median_percent
    assert physics.mean_percent < 0.5 * squares.mean_percent


@pytest.mark.deep
def test_the_two_af_xdp_programs_are_never_pooled(real_runs):
    training = training_of(real_runs)
    model = Capacity.fit(training)
    costs = {path.pair.program: path.access_ns for path in model.paths}
    assert costs["af_xdp_loop_v1"] > 1.15 * costs["af_xdp_memcpy"]


@pytest.mark.deep
def test_auto_takes_the_physical_form_where_the_runs_cannot_tell():
    runs = lab_table(accesses=(0, 400), sizes=(64, 128, 512), queues=(1,), reloads=2)
    assert choose_model(training_of(runs), MODELS)[0] is Capacity
