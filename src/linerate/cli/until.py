"""``linerate measure --until-error``: the part of a campaign that a good model needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from linerate.cells import Cell
from linerate.cli.output import stderr
from linerate.cli.plan import costs_of
from linerate.cli.planned import foretold
from linerate.errors import BadInputError, bad_input
from linerate.models import Capacity, Cells, cells_of, training_of
from linerate.models.design import choose_cells
from linerate.models.expected import Expected, expected_error
from linerate.models.fitting import SEED

FIRST_RUNS_OF_PAIR = 12
"""Runs of each program on its datapath before the first fit: less can hold none out."""
GROWTH = 4
"""A round adds a quarter of what is there: fits stay few beside the measuring."""
ROUND_MIN = 4
ERROR_MIN, ERROR_MAX = 0.001, 1.0


def error_ratio(text: str) -> float:
    """Read a bound such as ``5%``.

    >>> error_ratio("5%")
    0.05
    """
    number = text.removesuffix("%").strip()
    try:
        ratio = float(number) / 100.0
    except ValueError:
        ratio = np.nan
    if not text.endswith("%") or not ERROR_MIN <= ratio <= ERROR_MAX:
        raise bad_input("until-error", text, why="it is no bound on an error",
                        allowed=f"{ERROR_MIN:.1%} to {ERROR_MAX:.0%}, as 5%",
                        do="say it in percent")  # fmt: skip
    return ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """Says which cells to measure next, and remembers what was expected round by round."""

    bound_ratio: float
    numbers: tuple[int, ...]
    """Of the campaign's cells those that a capacity model can tell of."""
    cells: Cells
    """Their factors."""
    expected: list[Expected] = field(default_factory=list)
    """After each round."""

    @classmethod
    def of(cls, planned: Sequence[Cell], bound_ratio: float) -> Chooser:
        """Find the cells that capacity is fitted on.

        Raises
        ------
        BadInputError
            There is none.
        """
        kept = foretold(planned, "until-error", f"{bound_ratio:.1%}")
        return cls(bound_ratio=bound_ratio, numbers=tuple(map(int, kept.index)),
                   cells=cells_of(kept))  # fmt: skip

    @property
    def reached(self) -> bool:
        """Whether the last round's error is within the bound."""
        return bool(self.expected) and self.expected[-1].error_ratio <= self.bound_ratio

    def __call__(self, runs: pd.DataFrame, left: Sequence[int]) -> Sequence[int]:
        """Choose the next round; none when the model is good enough."""
        own = np.array([left[number] for number in self.numbers], dtype=np.intp)
        first = FIRST_RUNS_OF_PAIR * len(self.cells.pairs)
        if len(runs) < first:
            return self._round(runs, own, first - len(runs))
        self.expected.append(_expected(runs, self.cells))
        self._say(len(runs))
        return [] if self.reached else self._round(runs, own, max(len(runs) // GROWTH, ROUND_MIN))

    def _round(self, runs: pd.DataFrame, left: np.ndarray, budget: int) -> Sequence[int]:
        training = training_of(runs) if len(runs) else None
        design = choose_cells(costs_of(self.cells, training), self.cells, budget,
                              measured=training.cells if training else None, left=left)  # fmt: skip
        return [self.numbers[row] for row in design.rows]

    def _say(self, runs: int) -> None:
        last = self.expected[-1]
        if np.isinf(last.error_ratio):
            stderr.print(f"{runs} runs: the error cannot be told yet ({last.why})")
        else:
            stderr.print(f"{runs} runs: expected error {last.error_ratio:.1%}, half-width of the "
                         f"90 % interval {last.half_width_ratio:.1%}")  # fmt: skip

    def answer(self) -> dict[str, object]:
        """State what was reached, for JSON."""
        last = self.expected[-1] if self.expected else None
        return {
            "bound": self.bound_ratio, "reached": self.reached,
            "expected_error": last.error_ratio if last else None,
            "half_width": last.half_width_ratio if last else None,
            "cells": len(self.cells),
        }  # fmt: skip

    def __str__(self) -> str:
        last = self.expected[-1] if self.expected else None
        if last is None or np.isinf(last.error_ratio):
            return f"The error of a model on these cells cannot be told: {last.why if last else ''}"
        said = f"expected error {last.error_ratio:.1%} on {len(self.cells)} cells"
        within = f"within {self.bound_ratio:.1%}" if self.reached else (
            f"not within {self.bound_ratio:.1%}, and nothing is left to measure")  # fmt: skip
        return f"{said}, {within}; half-width of the 90 % interval {last.half_width_ratio:.1%}"


def _expected(runs: pd.DataFrame, cells: Cells) -> Expected:
    try:
        training = training_of(runs)
    except BadInputError as error:  # nothing valid yet
        return Expected(error_ratio=np.inf, half_width_ratio=np.inf, why=str(error))
    return expected_error(Capacity, training, cells, np.random.default_rng(SEED))
