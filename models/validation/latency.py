"""Error of predicted latencies on runs that were held out.

What is scored is what a table holds: load-latency runs of the split mode (mean, median, p99), the
mean of flooded runs whose rings were full, and round trips of chains. Rates in them are predicted
by a capacity model of the runs that were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd

from linerate.models.validation.floor import floor_of_runs
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.spread import Spread, spread

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyScore:
    """Relative errors of one quantity, over runs."""

    quantity: str
    """``mean in overload``, by predicted rates, and ``at the measured rate``; ``mean``, ``p50`` or
    ``p99`` below 80 % of capacity; ``round trip p50`` or ``round trip mean``."""
    name: str
    """Datapath and program, or kind of chain; ``all`` of the quantity."""
    held_out: str
    """What was held out."""
    runs: int
    not_predicted: int
    """Further runs without a prediction: the model takes them for not overloaded."""
    error: Spread
    """Of the prediction."""
    level_error: Spread
    """Of the median of the training runs, as the prediction of every run: what a model must be
    better than."""
    noise_floor: Spread | None
    """Of single runs from the median of the others of their cell; None where no cell has 2. In
    overload, of latencies over the ring of their repetition."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatencyValidation:
    """Scores, and the runs behind them."""

    scores: tuple[LatencyScore, ...]
    frame: pd.DataFrame
    """One row per held-out run and quantity: ``quantity, name, held_out, cell, measured_us,
    predicted_us, level_us, scale``."""

    @classmethod
    def joined(cls, parts: Sequence[LatencyValidation]) -> LatencyValidation:
        """Put the quantities of several kinds one behind the other."""
        return cls(scores=tuple(score for part in parts for score in part.scores),
                   frame=pd.concat([part.frame for part in parts], ignore_index=True))  # fmt: skip

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"latency": [score.to_dict() for score in self.scores]}

    def lines(self) -> list[str]:
        """Say it in words, a line a score."""
        return [f"{one.name}, {one.quantity}, held out by {one.held_out}: {one.error} % off "
                f"over {one.runs} runs" for one in self.scores]  # fmt: skip


def by_rows(
    rows: Callable[[pd.DataFrame, HoldOut], pd.DataFrame],
) -> Callable[[pd.DataFrame, HoldOut], LatencyValidation | None]:
    """Make a kind's ``validate`` of the rows that it holds out.

    Parameters
    ----------
    rows
        Held-out runs beside their predictions: columns ``quantity, name, held_out, cell,
        measured_us, predicted_us, level_us, scale``; empty where there are none.
    """
    return partial(_by_rows, rows)


def _by_rows(
    rows: Callable[[pd.DataFrame, HoldOut], pd.DataFrame], runs: pd.DataFrame, how: HoldOut
) -> LatencyValidation | None:
    frame = rows(runs, how)
    return scored(frame) if len(frame) else None


def scored(frame: pd.DataFrame) -> LatencyValidation:
    """Score held-out runs by quantity, all of them and each name's."""
    scores = [
        _score(str(quantity), str(name), rows)
        for quantity, of_quantity in frame.groupby("quantity", sort=False)
        for name, rows in ((ALL, of_quantity), *of_quantity.groupby("name"))
        if np.isfinite(rows["predicted_us"]).any()
    ]
    return LatencyValidation(scores=tuple(scores), frame=frame)


def _score(quantity: str, name: str, rows: pd.DataFrame) -> LatencyScore:
    answered = rows[np.isfinite(rows["predicted_us"])]
    measured = answered["measured_us"]
    return LatencyScore(
        quantity=quantity, name=name, held_out=str(rows["held_out"].iloc[0]), runs=len(answered),
        not_predicted=len(rows) - len(answered),
        error=spread((answered["predicted_us"] / measured - 1.0).to_numpy()),
        level_error=spread((answered["level_us"] / measured - 1.0).to_numpy()),
        noise_floor=_noise(rows),
    )  # fmt: skip


def _noise(rows: pd.DataFrame) -> Spread | None:
    scaled = rows["measured_us"] / rows["scale"]
    return floor_of_runs(scaled, rows.groupby(["name", "cell"]).ngroup())
