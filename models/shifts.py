"""Which constants of a packet's cost differ between two campaigns, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.capacity.error import with_intervals
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.runs.training import Training, training_of

LOADS_MIN = 5
"""Program loads of a path: of fewer, a bootstrap over them is too sure of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One constant of one path, in both campaigns."""

    datapath: str
    program: str
    constant: str
    """As a model names it: ``base_ns``, ``access_ns``, ``byte_ns``, or a coefficient of growth with
    queues, which is contention."""
    first: float
    second: float
    difference: float
    """Second less first: ns of times."""
    lower: float
    upper: float
    """90 % interval of the difference; nan where a campaign has too few program loads."""

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 0."""
        return bool(self.lower > 0.0 or self.upper < 0.0)

    @property
    def is_time(self) -> bool:
        """Whether it is a time in ns."""
        return self.constant.endswith("_ns")


def shifts(first: pd.DataFrame, second: pd.DataFrame) -> tuple[Shift, ...]:
    """Fit the capacity model to both, of the form that the first chooses, and take the differences.

    The interval of a difference is put together from those of both constants, since the campaigns
    share no program load.

    Parameters
    ----------
    first, second
        Tables of runs of the same cells.

    Returns
    -------
    A shift for each constant of each path that both have with enough cells and program loads; none
    where either cannot be fitted.

    References
    ----------
    Zou and Donner, Construction of confidence limits about effect measures, Stat. Med. 27 (2008).
    """
    try:
        before, after = training_of(first), training_of(second)
        fitted = Capacity.fit(before)
        again = _again(fitted, after)
    except BadInputError:
        return ()
    others = {path.pair: path for path in again.paths
              if _enough(path, before) and _enough(path, after)}  # fmt: skip
    return tuple(
        shift for path in fitted.paths
        if path.pair in others and not (path.bounded or others[path.pair].bounded)
        for shift in _of_path(path, others[path.pair])
    )  # fmt: skip


def _again(fitted: Capacity, training: Training) -> Capacity:
    """Fit the same form to other runs, with intervals of their own."""
    seen = set(training.pairs_seen)
    kept = replace(fitted, paths=tuple(path for path in fitted.paths if path.pair in seen))
    codes = [code for code, pair in enumerate(training.cells.pairs) if pair in kept.pairs]
    own = training.take(np.isin(training.cells.pair, codes))
    if not kept.paths:
        return kept
    refitted = kept.refit(own)
    nic_mpps = refitted.nic_cap_mpps or math.inf
    return replace(refitted, paths=with_intervals(refitted.paths, own, nic_mpps))


def _enough(path: PathCost, training: Training) -> bool:
    """Whether runs of a path tell its constants and their spread."""
    own = training.take(training.cells.pair == training.cells.pairs.index(path.pair))
    cells, loads = len(np.unique(own.cell)), len(np.unique(own.load))
    return cells > len(path.form.parameters) and loads >= LOADS_MIN


def _of_path(first: PathCost, second: PathCost) -> Iterator[Shift]:
    values = second.values()
    unknown = (math.nan, math.nan)
    for name, value in first.values().items():
        low, high = first.intervals.get(name, unknown)
        other_low, other_high = second.intervals.get(name, unknown)
        difference = values[name] - value
        yield Shift(
            datapath=first.pair.datapath, program=first.pair.program, constant=name,
            first=value, second=values[name], difference=difference,
            lower=difference - math.hypot(values[name] - other_low, high - value),
            upper=difference + math.hypot(other_high - values[name], value - low),
        )  # fmt: skip
