"""One contract for what a model file holds beside capacity: a record of functions for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.runs.cells import Mask, Pair
from linerate.models.validation.folds import HoldOut
from linerate.records import Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of model: how it is fitted, asked and held out, and where it stands in a file.

    ``fit``, the model file, ``validate`` and ``predict`` go through ``KINDS``; a new kind is one
    module and its entry there.
    """

    name: str
    """Its key in a model file."""
    model: type[Any]
    """A frozen record of what was fitted; its ``str`` is its formula."""
    answers: str
    """The question that it answers: ``rate``, ``latency``, ``round trip``, or one of its own. Of
    the kinds that answer one question, the first that knows a cell answers it."""
    fit: Callable[[pd.DataFrame], Any]
    """From a table of runs, of which it chooses its own; None where there are none. It may refuse
    a table (``BadInputError``): the others are fitted without it."""
    knows: Callable[[Any, pd.DataFrame], Mask]
    """Whether each cell is one that a fitted model can answer, shape (n,)."""
    answer: Callable[[Any, pd.DataFrame, Predictions | None], Mapping[str, Any]]
    """Columns of the answer to n cells, by name with the unit last, given the predicted rates;
    nan where there is none. Of a rate: the columns of ``Predictions``."""
    held_out: Callable[[pd.DataFrame, HoldOut], pd.DataFrame] | None = None
    """Held-out runs beside their predictions, as ``validate_latency`` scores them."""


def knows_pairs(pairs: Sequence[Pair], cells: pd.DataFrame) -> Mask:
    """Whether each cell is of a known datapath and program at an offered load, shape (n,)."""
    if "offered_mpps" not in cells.columns:
        return np.zeros(len(cells), dtype=np.bool_)
    programs = cells["program"] if "program" in cells.columns else [""] * len(cells)
    known = {*pairs, *(Pair(pair.datapath, "") for pair in pairs)}
    asked = zip(cells["datapath"], programs, strict=True)
    return np.array([Pair(*map(str, pair)) in known for pair in asked], dtype=np.bool_)
