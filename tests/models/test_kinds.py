"""Mixes, CPU, latency and round trips are kinds of one contract: fitted, asked, held out by it."""

import numpy as np
import pytest

from linerate.models import KINDS, fit_models
from linerate.models.answers import predict_cell
from linerate.models.kinds import Kind
from linerate.models.validation.kinds import validate_kinds

from .planted import cells_table, lab_table

FEW = {"queues": (1,), "accesses": (0, 100, 400, 800), "sizes": (64, 512), "reloads": 2}


def test_each_kind_says_what_it_predicts_and_holds_it_out():
    of = {kind.name: kind.of for kind in KINDS if kind.validate is not None}
    assert of == {"mixes": "rate", "cpu_shares": "cpu", "latency": "latency", "overload": "latency",
                  "pipelines": "latency", "round_trips": "latency",
                  "chain_times": "chains"}  # fmt: skip


def test_cpu_that_was_not_measured_follows_from_the_rates_and_nothing_of_it_is_saved():
    file = fit_models(lab_table(**FEW).assign(cpu_busy_ratio=np.nan), model="capacity").file
    assert not {"cpu", "cpu_shares"} & set(file.fitted)
    row = cells_table(memory_accesses=[100]).iloc[0]
    cell = {str(name): value for name, value in row.items()} | {"offered_mpps": 2.0}
    load = predict_cell(file, cell).load
    busy = None if load is None else load.cpu_busy_ratio
    assert busy is not None
    assert busy == pytest.approx(2.0 / file.service_mpps(cells_table(memory_accesses=[100]))[0])
    assert 0.3 < busy < 0.9


def test_a_quantity_of_ones_own_is_held_out_by_its_kind():
    class Nothing:
        runs: tuple[object, ...] = ()

        def to_dict(self):
            return {}

        def lines(self):
            return [str(self.runs)]

    def held_out(runs, how):
        found = Nothing()
        found.runs = (len(runs), how.by, how.folds)
        return found

    own = Kind(name="own", answers="own",
               knows=lambda _, cells: np.ones(len(cells), dtype=np.bool_),
               answer=lambda *_: {}, of="own", validate=held_out)  # fmt: skip
    asked = {"by": "queues", "rng": np.random.default_rng(0), "kinds": (*KINDS, own)}
    (found,) = validate_kinds(lab_table(**FEW), of="own", **asked)
    assert found.lines() == ["(32, 'queues', 5)"]
