"""Drawing program loads of very many: evenly, whole, the same again, and none of few."""

import numpy as np
import pytest

from linerate.models import training_of
from linerate.models.runs import drawn as module
from linerate.models.runs.drawn import LOADS_MIN, drawn, notes_on

from ..planted import lab_table


@pytest.fixture(scope="module")
def training():
    return training_of(lab_table(accesses=(0, 100, 800), sizes=(64, 128), reloads=200))


def test_of_few_runs_all_are_used(training):
    assert drawn(training) is training
    assert notes_on(training, training) == ()


def test_of_many_a_share_of_each_cell_is_drawn_and_said(training, monkeypatch):
    monkeypatch.setattr(module, "RUNS_MAX", len(training) // 2)
    some = drawn(training)
    _, before = np.unique(training.cell, return_counts=True)
    cells, after = np.unique(some.cell, return_counts=True)
    assert cells.size == before.size
    assert (after == np.ceil(before / 2)).all()
    assert len(some) <= len(training) // 2 + cells.size
    assert (np.diff(some.row) > 0).all()
    assert drawn(training).row.tolist() == some.row.tolist()
    assert f"{len(some)} of {len(training)} runs" in notes_on(training, some)[0]


def test_a_load_is_drawn_with_all_its_runs(training, monkeypatch):
    monkeypatch.setattr(module, "RUNS_MAX", len(training) // 2)
    _, whole = np.unique(training.load, return_counts=True)
    assert whole.max() > 1
    _, kept = np.unique(drawn(training).load, return_counts=True)
    assert np.mean(kept == whole.max()) > 0.95


def test_cells_of_few_loads_keep_them(training, monkeypatch):
    monkeypatch.setattr(module, "RUNS_MAX", 10)
    _, after = np.unique(drawn(training).cell, return_counts=True)
    assert set(after) == {LOADS_MIN}
