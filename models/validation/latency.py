"""Error of predicted latencies on runs that were held out.

What is scored is what a table holds: load-latency runs of the split mode (mean, median, p99), the
mean of flooded runs whose rings were full, and round trips of chains. Rates in them are predicted
by a capacity model of the runs that were seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.models.kinds import KINDS, Kind
from linerate.models.validation.folds import HoldOut, Split
from linerate.models.validation.validation import FOLDS, Spread, spread

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyScore:
    """Relative errors of one quantity, over runs."""

    quantity: str
    """``mean in overload``; ``mean``, ``p50`` or ``p99`` below 80 % of capacity; ``round trip
    p50`` or ``round trip mean``."""
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
    """Of single runs from their cell's median, over cells of at least 2; None without such. In
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


def validate_latency(
    runs: pd.DataFrame, *, by: Split, rng: np.random.Generator, kinds: Sequence[Kind] = KINDS
) -> LatencyValidation:
    """Predict latencies of runs held out, with constants of the others only.

    Parameters
    ----------
    runs
        A table of runs, whole: what is scored is chosen from it.
    by
        What is held out; of chains it is always their length.
    rng
        Deals groups to folds, each kind's alike.
    kinds
        What is held out.

    Raises
    ------
    BadInputError
        Nothing in it has a latency that can be predicted, or nothing is left to fit.
    """
    parts = [
        kind.held_out(runs, HoldOut(by=by, folds=FOLDS, rng=deepcopy(rng)))
        for kind in kinds if kind.held_out is not None
    ]  # fmt: skip
    parts = [part for part in parts if len(part)]
    if not parts:
        raise bad_input("runs", len(runs), why="none has a latency that can be held out",
                        allowed="runs of the split mode, flooded runs with latency_mean_us, or "
                        "chains with rtt_p50_us", do="measure it")  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
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
    """Deviation of single runs from the median of their cell, cells of at least two runs."""
    scaled = rows["measured_us"] / rows["scale"]
    cells = scaled.groupby([rows["name"], rows["cell"]])
    repeated = (cells.transform("size") >= 2).to_numpy()
    deviation = (scaled / cells.transform("median") - 1.0).to_numpy()[repeated]
    return spread(deviation) if deviation.size else None
