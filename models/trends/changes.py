"""Steps of a series of campaigns: how large, how sure, up or down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from linerate.models.arrays import Array
from linerate.models.trends.groups import SPREAD_MIN, Grouping, group

SAMPLES_MIN = 10
"""Fewer campaigns say too little of their own noise: no step is sought."""
COVERAGE = 0.9
Kind = Literal["regression", "progression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step of a level."""

    kind: Kind
    """``regression`` is slower."""
    at: int
    """Index of the first campaign after it."""
    campaign: str
    label: str
    """Date, kernel or commit of that campaign."""
    ratio: float
    """Level after over level before."""
    lower: float
    upper: float
    """90 % interval of the ratio, given where the step is."""
    probability: float
    """That there is a step, 0..1: odds of the message with it over the message without."""

    def __str__(self) -> str:
        ends = sorted(abs(100.0 * (end - 1.0)) for end in (self.lower, self.upper))
        if (self.lower - 1.0) * (self.upper - 1.0) < 0.0:
            ends[0] = -ends[0]
        return (
            f"{self.kind} of {abs(100.0 * (self.ratio - 1.0)):.1f} % ({ends[0]:.1f} to "
            f"{ends[1]:.1f}) from {self.label} on ({self.campaign}), probability "
            f"{self.probability:.3f}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trend:
    """A series of campaigns, and where its level steps."""

    samples: pd.DataFrame
    """A row for each campaign in order: ``campaign``, ``label``, ``value``, ``lower``, ``upper``,
    ``loads``, ``group``, ``level``."""
    changes: tuple[Change, ...]
    spread_percent: float
    """Standard deviation of one sample around its level."""
    cells: int
    """Cells that are taken together."""
    unit: str
    """Of the values: Mpps of one cell, or a ratio to the median of several."""
    notes: tuple[str, ...] = ()

    @property
    def regressed(self) -> bool:
        """Whether the newest step went down."""
        return bool(self.changes) and self.changes[-1].kind == "regression"

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "campaigns": len(self.samples), "cells": self.cells, "unit": self.unit,
            "spread_percent": self.spread_percent, "regressed": self.regressed,
            "changes": [asdict(one) for one in self.changes],
            "samples": self.samples.to_dict("records"), "notes": self.notes,
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """Say it in words."""
        of = f"{self.cells} cells together" if self.cells > 1 else "one cell"
        noise = f"{self.spread_percent:.2g} %"
        yield f"{len(self.samples)} campaigns of {of}; a campaign lies {noise} around its level"
        yield from map(str, self.changes)
        if not self.changes:
            yield "no step of the level can be seen"


def trend_of(
    samples: pd.DataFrame, *, cells: int = 1, unit: str = "Mpps", notes: tuple[str, ...] = ()
) -> Trend:  # fmt: skip
    """Find the steps of a series.

    Parameters
    ----------
    samples
        A row for each campaign in order: ``campaign``, ``label``, ``value`` > 0, and ``step``: the
        level may step where this differs from the row before.
    cells, unit, notes
        What the values are of.
    """
    logs = np.log(samples["value"].to_numpy(dtype=np.float64))
    if len(samples) < SAMPLES_MIN:
        notes += (f"{len(samples)} campaigns: steps are sought from {SAMPLES_MIN} on",)
        found = Grouping(starts=(0,), spread=SPREAD_MIN, saved_bits=())
    else:
        found = group(logs, (samples["step"] != samples["step"].shift()).to_numpy())
    ends = (*found.starts, len(samples))
    of = np.repeat(np.arange(len(found.starts)), np.diff(ends))
    levels = np.array([logs[a:b].mean() for a, b in pairwise(ends)])
    spread = _around(logs, levels[of], len(levels))
    return Trend(
        samples=samples.assign(group=of, level=np.exp(levels[of])), cells=cells, unit=unit,
        changes=tuple(_changes(samples, found, levels, spread)), notes=notes,
        spread_percent=100.0 * spread,
    )  # fmt: skip


def _around(logs: Array, levels: Array, groups: int) -> float:
    """Take the standard deviation around the levels of the groups."""
    freedom = max(len(logs) - groups, 1)
    return max(float(np.sqrt(np.sum((logs - levels) ** 2) / freedom)), SPREAD_MIN)


def _changes(
    samples: pd.DataFrame, found: Grouping, levels: Array, spread: float
) -> Iterator[Change]:
    from scipy.stats import t  # slow to load

    ends = (*found.starts, len(samples))
    width = float(t.ppf((1.0 + COVERAGE) / 2.0, max(len(samples) - len(levels), 1)))
    for number, at in enumerate(found.starts[1:], start=1):
        step = float(levels[number] - levels[number - 1])
        sizes = (at - ends[number - 1], ends[number + 1] - at)
        half = width * spread * math.sqrt(1.0 / sizes[0] + 1.0 / sizes[1])
        row = samples.iloc[at]
        yield Change(
            kind="regression" if step < 0.0 else "progression", at=at,
            campaign=str(row["campaign"]), label=str(row["label"]), ratio=math.exp(step),
            lower=math.exp(step - half), upper=math.exp(step + half),
            probability=1.0 / (1.0 + 2.0 ** -found.saved_bits[number - 1]),
        )  # fmt: skip
