"""What a report will fit is fitted by several processes beforehand, and is the same."""

import numpy as np
import pytest

from linerate.models import Capacity, GaussianProcess, training_of, validate
from linerate.models.capacity import known
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS
from linerate.models.validation.held_out import held_out_error
from linerate.reports.section import beforehand


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
    kinds = beforehand.fit_all_and_folds(training, AUTO, few)
    beforehand.fit_folds(training, [GaussianProcess], ["frame_bytes", "queues"])
    for model in (Capacity, GaussianProcess):
        monkeypatch.setattr(model, "_fitted", refused)
    assert Capacity.fit(training) == alone
    validate(Capacity, training, by="group", rng=np.random.default_rng(SEED))
    held_out_error(GaussianProcess, training, by="frame_bytes")
    assert [kind.name for kind in kinds] == [kind.name for kind in KINDS]


def test_other_kinds_are_fitted_beforehand_and_are_the_same(training, both_runs, monkeypatch):
    monkeypatch.setattr(beforehand, "REMEMBERED", ())
    kinds = beforehand.fit_all_and_folds(training, AUTO, both_runs)
    changed = [(was, now) for was, now in zip(KINDS, kinds, strict=True) if now is not was]
    assert {now.name for _, now in changed} >= {"cpu_shares", "latency"}
    for was, now in changed:
        assert was.fit is not None
        assert now.fit is not None
        assert str(now.fit(both_runs)) == str(was.fit(both_runs))


def test_few_runs_are_left_to_whoever_asks(training, few, monkeypatch):
    monkeypatch.setattr(beforehand, "RUNS_MIN", len(training) + 1)
    assert beforehand.fit_all_and_folds(training, AUTO, few) == KINDS
    assert not known._KNOWN
