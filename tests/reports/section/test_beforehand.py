"""What a report will fit is fitted by several processes beforehand, and is the same."""

import os
from functools import partial

import numpy as np
import pytest

from linerate.models import Capacity, GaussianProcess, training_of, validate
from linerate.models.capacity import known
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS
from linerate.models.regression import LogWls
from linerate.models.validation.by_split import Known, folds_of, of_models
from linerate.models.validation.folds import Split
from linerate.models.validation.held_out import fold_errors, held_out_error
from linerate.reports.section import beforehand
from linerate.reports.section.scores import under_load
from linerate.reports.section.shared import shared


@pytest.fixture
def few(serial_runs):
    return serial_runs[serial_runs["queues"] == serial_runs["queues"].min()]


@pytest.fixture
def training(few, monkeypatch):
    """Few runs, of which nothing is known, and two processes that fit them nevertheless."""
    monkeypatch.setattr(known, "_KNOWN", {})
    monkeypatch.setattr(beforehand, "RUNS_MIN", 1)
    monkeypatch.setattr(beforehand, "workers", lambda: 2)
    return training_of(few)


def refused(training):
    pytest.fail("fitted once more")


def test_what_was_fitted_beforehand_is_not_fitted_again_and_is_the_same(
    training, few, monkeypatch
):  # fmt: skip
    alone = Capacity._fitted(training)
    found = beforehand.fit_all_and_folds(training, AUTO, few)
    for model in (Capacity, GaussianProcess):
        monkeypatch.setattr(model, "_fitted", refused)
    assert Capacity.fit(training) == alone
    validate(Capacity, training, by="group", rng=np.random.default_rng(SEED))
    held_out_error(GaussianProcess, training, by="group")
    assert [kind.name for kind in found] == [kind.name for kind in KINDS]


def test_other_kinds_are_fitted_beforehand_and_are_the_same(training, both_runs, monkeypatch):
    monkeypatch.setattr(beforehand, "REMEMBERED", ())
    found = beforehand.fit_all_and_folds(training, AUTO, both_runs)
    changed = [(was, now) for was, now in zip(KINDS, found, strict=True) if now is not was]
    assert {now.name for _, now in changed} >= {"cpu_shares", "latency"}
    for was, now in changed:
        assert was.fit is not None
        assert now.fit is not None
        assert str(now.fit(both_runs)) == str(was.fit(both_runs))


def test_runs_are_held_out_beside_a_fit_and_are_the_same(training, both_runs):
    here, (pid, found) = os.getpid(), beforehand.fit_beside(
        os.getpid, training, "capacity", both_runs, splits=True
    )  # fmt: skip
    assert pid == here, "what is fitted is kept by this process"
    assert found.under_load is not None
    (latency, cpu), (again, cpu_again) = found.under_load, under_load(both_runs)
    assert latency is not None
    assert again is not None
    assert (latency.scores, cpu) == (again.scores, cpu_again)
    assert found.by_split is not None
    assert {split for split, _ in found.by_split} == {"frame_bytes", "memory_accesses"}
    for (split, number), errors in found.by_split.items():
        assert set(errors) == {"capacity", "gp", "log_wls"}
        alone = fold_errors([Capacity], training, split, number)
        assert np.array_equal(errors["capacity"], alone["capacity"])


def test_splits_that_nobody_asked_for_are_not_held_out(training, both_runs):
    _, found = beforehand.fit_beside(os.getpid, training, AUTO, both_runs, splits=False)
    assert found.by_split is None
    assert found.under_load is not None


@pytest.mark.usefixtures("training")
def test_where_only_the_fits_own_split_divides_a_table_no_fold_is_no_missing_answer(few):
    alike = few[(few["frame_bytes"] == 64) & (few["memory_accesses"] == 0)]
    _, found = beforehand.fit_beside(os.getpid, training_of(alike), AUTO, alike, splits=True)
    assert found.by_split == {}, "asked for, and empty"


def test_folds_that_are_known_are_not_held_out_again(training):
    scores = validate(Capacity, training, by="group", rng=np.random.default_rng(SEED)).scores
    splits: tuple[Split, ...] = ("group", "frame_bytes")
    models = [Capacity, LogWls]
    alone = list(of_models(training, splits, models, Known(scores=scores)))
    folds = {fold: fold_errors([Capacity], training, *fold)
             for fold in folds_of(training, "frame_bytes")}  # fmt: skip
    asked = []

    def each(work, parts):
        asked.extend(parts)
        return [work(part) for part in parts]

    known = Known(scores=scores, folds=folds)
    assert list(of_models(training, splits, models, known, each)) == alone
    assert {split for split, _ in asked} == {"group", "frame_bytes"}, "for the regression"
    asked.clear()
    list(of_models(training, ("frame_bytes",), [Capacity], known, each))
    assert not asked


def test_folds_that_are_shared_out_give_what_they_give_one_by_one(training):
    scores = validate(Capacity, training, by="group", rng=np.random.default_rng(SEED)).scores
    splits: tuple[Split, ...] = ("group", "frame_bytes", "queues")
    models = [Capacity, LogWls]
    known = Known(scores=scores)
    alone = list(of_models(training, splits, models, known))
    assert {one.by for one in alone} == {"group", "frame_bytes"}, "one number of queues"
    assert {one.model for one in alone} == {"capacity", "log_wls", "floor"}
    assert list(of_models(training, splits, models, known, partial(shared, among=2))) == alone


def test_few_runs_are_left_to_whoever_asks(training, few, monkeypatch):
    monkeypatch.setattr(beforehand, "RUNS_MIN", len(training) + 1)
    assert beforehand.fit_all_and_folds(training, AUTO, few) == KINDS
    found = beforehand.fit_beside(lambda: "fitted", training, AUTO, few, splits=True)
    assert found == ("fitted", beforehand.Beside())
    assert not known._KNOWN
