"""One contract for what a model file holds beside capacity: a record of functions for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from linerate.models.runs.cells import Array, Codes, Mask, Pair
from linerate.models.validation.folds import HoldOut
from linerate.records import Predictions


class Scored(Protocol):
    """Errors of one kind on runs held out."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        ...

    def lines(self) -> list[str]:
        """Say it in words, a line a score."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates of n cells, as other kinds need them."""

    predicted: Predictions
    service_mpps: Array
    """What the cores alone would forward, without link and offered load, shape (n,)."""

    def take(self, rows: Codes) -> Rates:
        """Keep some cells, in the order of ``rows``."""
        return Rates(predicted=self.predicted.take(rows), service_mpps=self.service_mpps[rows])


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of model: how it is fitted, asked and held out, and where it stands in a file.

    ``fit``, the model file, ``validate`` and ``predict`` go through ``KINDS``; a new kind is one
    module and its entry there.
    """

    name: str
    """Its key in a model file."""
    answers: str
    """The question that it answers: ``rate``, ``latency``, ``round trip``, or one of its own. Of
    the kinds that answer one question, the first that knows a cell answers it."""
    knows: Callable[[Any, pd.DataFrame], Mask]
    """Whether each cell is one that a fitted model can answer, shape (n,)."""
    answer: Callable[[Any, pd.DataFrame, Any], Mapping[str, Any]]
    """Columns of the answer to n cells, by name with the unit last, given the predicted ``Rates``;
    nan where there is none. Of a rate, which is given none: the columns of ``Predictions``."""
    model: type[Any] | None = None
    """A frozen record of what was fitted; its ``str`` is its formula. None of a kind that follows
    from the others, of which nothing is saved."""
    fit: Callable[[pd.DataFrame], Any] | None = None
    """From a table of runs, of which it chooses its own; None where there are none. It may refuse
    a table (``BadInputError``): the others are fitted without it."""
    needs_load: bool = False
    """Whether it says nothing of a cell at which no load is offered."""
    of: str = "latency"
    """What ``validate --of`` calls what it predicts: ``rate``, ``cpu``, ``latency``, or its own."""
    validate: Callable[[pd.DataFrame, HoldOut], Scored | None] | None = None
    """Its errors on runs that it holds out; None where there are no runs of its own. What is
    compared run by run has ``by_rows`` for it."""


def knows_pairs(pairs: Sequence[Pair], cells: pd.DataFrame) -> Mask:
    """Whether each cell is of a known datapath and program at an offered load, shape (n,)."""
    if "offered_mpps" not in cells.columns:
        return np.zeros(len(cells), dtype=np.bool_)
    programs = cells["program"] if "program" in cells.columns else [""] * len(cells)
    known = {*pairs, *(Pair(pair.datapath, "") for pair in pairs)}
    asked = zip(cells["datapath"], programs, strict=True)
    return np.array([Pair(*map(str, pair)) in known for pair in asked], dtype=np.bool_)
