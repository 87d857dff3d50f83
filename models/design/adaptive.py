"""Adaptive campaigns: choose the next cells after each round, until the error is small enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from linerate.cells import Cell
from linerate.errors import BadInputError
from linerate.models.capacity.model import Capacity
from linerate.models.design.candidates import capacity_cells, costs_of
from linerate.models.design.choice import choose_cells
from linerate.models.fitting import SEED
from linerate.models.runs.cells import Cells, cells_of
from linerate.models.runs.training import training_of
from linerate.models.validation.expected import Expected, expected_error

FIRST_RUNS_OF_PAIR = 12
"""Runs of each program on its datapath before the first fit: with less, none can be held out."""
GROWTH = 4
"""A round adds a quarter of what is there: fits stay few beside the measuring."""
ROUND_MIN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """Chooses which cells to measure next, and keeps the expected error of each round."""

    bound_ratio: float
    """Expected error from which on nothing more is measured, 0 to 1."""
    numbers: tuple[int, ...]
    """Cells of the campaign, by number, that capacity is fitted on."""
    cells: Cells
    """Their factors."""
    notify: Callable[[str], None] = lambda _: None
    """Called with one line after each round."""
    expected: list[Expected] = field(default_factory=list)
    """After each round."""

    @classmethod
    def of(
        cls, planned: Sequence[Cell], bound_ratio: float,
        notify: Callable[[str], None] = lambda _: None,
    ) -> Chooser:  # fmt: skip
        """Find the cells that capacity is fitted on.

        Raises
        ------
        BadInputError
            There is none.
        """
        kept = capacity_cells(planned, "until-error", f"{bound_ratio:.1%}")
        return cls(bound_ratio=bound_ratio, numbers=tuple(map(int, kept.index)),
                   cells=cells_of(kept), notify=notify)  # fmt: skip

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
        self._notify(len(runs))
        return [] if self.reached else self._round(runs, own, max(len(runs) // GROWTH, ROUND_MIN))

    def _round(self, runs: pd.DataFrame, left: np.ndarray, budget: int) -> Sequence[int]:
        training = training_of(runs) if len(runs) else None
        costs, why = costs_of(self.cells, training)
        if why:
            self.notify(f"costs are guessed: {why}")
        design = choose_cells(costs, self.cells, budget,
                              measured=training.cells if training else None, left=left)  # fmt: skip
        return [self.numbers[row] for row in design.rows]

    def _notify(self, runs: int) -> None:
        last = self.expected[-1]
        if np.isinf(last.error_ratio):
            self.notify(f"{runs} runs: the error cannot be estimated yet ({last.why})")
        else:
            self.notify(f"{runs} runs: expected error {last.error_ratio:.1%}, half-width of the "
                        f"90 % interval {last.half_width_ratio:.1%}")  # fmt: skip

    def to_dict(self) -> dict[str, object]:
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
            why = last.why if last else "too few runs"
            return f"The error of a model on these cells cannot be estimated: {why}"
        text = f"expected error {last.error_ratio:.1%} on {len(self.cells)} cells"
        within = f"within {self.bound_ratio:.1%}" if self.reached else (
            f"not within {self.bound_ratio:.1%}, and nothing is left to measure")  # fmt: skip
        return f"{text}, {within}; half-width of the 90 % interval {last.half_width_ratio:.1%}"


def _expected(runs: pd.DataFrame, cells: Cells) -> Expected:
    try:
        training = training_of(runs)
    except BadInputError as error:  # nothing valid yet
        return Expected(error_ratio=np.inf, half_width_ratio=np.inf, why=str(error))
    return expected_error(Capacity, training, cells, np.random.default_rng(SEED))
