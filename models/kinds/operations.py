"""Rates by what packets execute: mixes of operations, filters, pipelines and chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linerate.models.kinds.kind import Kind
from linerate.models.operations import MixPredictor, fit_mixes, mix_runs
from linerate.models.operations.validation import MixValidation, validate_mixes
from linerate.models.runs.cells import Mask
from linerate.models.runs.selection import is_mixed
from linerate.models.validation.folds import HoldOut


def _fit(runs: pd.DataFrame) -> MixPredictor | None:
    if not {"datapath", "program"} <= set(runs.columns) or not bool(is_mixed(runs).any()):
        return None
    return fit_mixes(mix_runs(runs))


def _knows(model: MixPredictor, cells: pd.DataFrame) -> Mask:
    return model.knows(cells)


def _answer(model: MixPredictor, cells: pd.DataFrame, _: None) -> Mapping[str, Any]:
    return model.predict(cells).columns()


def _validate(runs: pd.DataFrame, how: HoldOut) -> MixValidation | None:
    """Hold out whole groups: what shares kinds or numbers with a work leaves with it."""
    if how.by != "group" or not {"datapath", "program"} <= set(runs.columns):
        return None
    return validate_mixes(mix_runs(runs)) if bool(is_mixed(runs).any()) else None


KIND = Kind(name="mixes", model=MixPredictor, answers="rate", fit=_fit, knows=_knows,
            answer=_answer, of="rate", validate=_validate)  # fmt: skip
