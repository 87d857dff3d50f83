"""What a report will fit is fitted by several processes beforehand, and is the same."""

import numpy as np
import pytest

from linerate.models import Capacity, GaussianProcess, training_of, validate
from linerate.models.capacity import known
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS
from linerate.models.regression import LogWls
from linerate.models.validation.by_split import of_models
from linerate.models.validation.folds import Split
from linerate.models.validation.held_out import held_out_error
from linerate.reports.section import beforehand
from linerate.reports.section.scores import under_load


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
    assert [kind.name for kind in found.kinds] == [kind.name for kind in KINDS]


def test_other_kinds_are_fitted_beforehand_and_are_the_same(training, both_runs, monkeypatch):
    monkeypatch.setattr(beforehand, "REMEMBERED", ())
    found = beforehand.fit_all_and_folds(training, AUTO, both_runs)
    changed = [(was, now) for was, now in zip(KINDS, found.kinds, strict=True) if now is not was]
    assert {now.name for _, now in changed} >= {"cpu_shares", "latency"}
    for was, now in changed:
        assert was.fit is not None
        assert now.fit is not None
        assert str(now.fit(both_runs)) == str(was.fit(both_runs))
    assert found.under_load is not None
    (latency, cpu), (again, cpu_again) = found.under_load, under_load(both_runs)
    assert latency is not None
    assert again is not None
    assert (latency.scores, cpu) == (again.scores, cpu_again)


def test_folds_that_are_shared_out_give_what_they_give_one_by_one(training):
    scores = validate(Capacity, training, by="group", rng=np.random.default_rng(SEED)).scores
    splits: tuple[Split, ...] = ("group", "frame_bytes", "queues")
    models = [Capacity, LogWls]
    alone = list(of_models(training, splits, models, scores))
    assert {one.by for one in alone} == {"group", "frame_bytes"}, "one number of queues"
    assert {one.model for one in alone} == {"capacity", "log_wls", "floor"}
    among = beforehand.folds_among(training)
    assert list(of_models(training, splits, models, scores, among)) == alone


def test_few_runs_are_left_to_whoever_asks(training, few, monkeypatch):
    monkeypatch.setattr(beforehand, "RUNS_MIN", len(training) + 1)
    assert beforehand.fit_all_and_folds(training, AUTO, few) == beforehand.Beforehand(kinds=KINDS)
    assert not known._KNOWN
