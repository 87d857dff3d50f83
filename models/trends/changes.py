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
from linerate.models.trends.groups import (
    POOLED_EVIDENCE_BITS,
    TAILS_EVIDENCE_BITS,
    Grouping,
    group,
)
from linerate.models.trends.noise import SPREAD_MIN
from linerate.models.trends.pooled import COVERAGE, CellStep, cell_steps
from linerate.models.trends.samples import Samples

SAMPLES_MIN = 10
"""Fewer campaigns say too little of their own noise: no step is sought."""
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
    cells: tuple[CellStep, ...] = ()
    """What each of several cells says of it; empty of one cell."""

    def cells_moved(self, how: str) -> int:
        """Count the cells whose own step is seen, and goes ``with it`` or ``the other way``."""
        return sum(one.moved == how for one in self.cells)

    def __str__(self) -> str:
        ends = sorted(abs(100.0 * (end - 1.0)) for end in (self.lower, self.upper))
        if (self.lower - 1.0) * (self.upper - 1.0) < 0.0:
            ends[0] = -ends[0]
        return (
            f"{self.kind} of {abs(100.0 * (self.ratio - 1.0)):.1f} % ({ends[0]:.1f} to "
            f"{ends[1]:.1f}) from {self.label} on ({self.campaign}), probability "
            f"{self.probability:.3f}{self._of_cells()}"
        )

    def _of_cells(self) -> str:
        if not self.cells:
            return ""
        other = self.cells_moved("the other way")
        against = f", {other} the other way" if other else ""
        return f"; {self.cells_moved('with it')} of {len(self.cells)} cells show it alone{against}"


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
        count = len(self.samples)
        campaigns = "campaign" if count == 1 else "campaigns"
        yield f"{count} {campaigns} of {of}; a campaign lies {noise} around its level"
        yield from map(str, self.changes)
        if len(self.samples) < SAMPLES_MIN:
            yield f"no step is sought: that takes {SAMPLES_MIN} campaigns"
        elif not self.changes:
            yield "no step of the level can be seen"


def trend_of(samples: Samples, *, notes: tuple[str, ...] = ()) -> Trend:
    """Find the steps of a series.

    Parameters
    ----------
    samples
        The series, and the cells that it is of.
    notes
        What could not be read of them, one sentence each.
    """
    table = samples.table
    notes = (*notes, *samples.notes)
    logs = np.log(table["value"].to_numpy(dtype=np.float64))
    if len(table) < SAMPLES_MIN:
        notes += (f"{len(table)} campaigns: steps are sought from {SAMPLES_MIN} on",)
        found = Grouping(starts=(0,), spread=SPREAD_MIN, saved_bits=())
    else:
        evidence = POOLED_EVIDENCE_BITS if len(samples.cells) > 1 else TAILS_EVIDENCE_BITS
        may_start = (table["step"] != table["step"].shift()).to_numpy()
        found = group(logs, may_start, evidence_bits=evidence)
    ends = (*found.starts, len(table))
    of = np.repeat(np.arange(len(found.starts)), np.diff(ends))
    levels = np.array([logs[a:b].mean() for a, b in pairwise(ends)])
    spread = _around(logs, levels[of], len(levels))
    return Trend(
        samples=table.assign(group=of, level=np.exp(levels[of])), cells=len(samples.cells),
        changes=tuple(_changes(samples, found, levels, spread)), notes=notes, unit=samples.unit,
        spread_percent=100.0 * spread,
    )  # fmt: skip


def _around(logs: Array, levels: Array, groups: int) -> float:
    """Take the standard deviation around the levels of the groups."""
    freedom = max(len(logs) - groups, 1)
    return max(float(np.sqrt(np.sum((logs - levels) ** 2) / freedom)), SPREAD_MIN)


def _changes(samples: Samples, found: Grouping, levels: Array, spread: float) -> Iterator[Change]:
    from scipy.stats import t  # slow to load

    ends = (*found.starts, len(samples.table))
    width = float(t.ppf((1.0 + COVERAGE) / 2.0, max(len(samples.table) - len(levels), 1)))
    for number, at in enumerate(found.starts[1:], start=1):
        step = float(levels[number] - levels[number - 1])
        sizes = (at - ends[number - 1], ends[number + 1] - at)
        half = width * spread * math.sqrt(1.0 / sizes[0] + 1.0 / sizes[1])
        row = samples.table.iloc[at]
        places = (ends[number - 1], at, ends[number + 1])
        cells = cell_steps(samples.logs, samples.cells, places, down=step < 0.0)
        yield Change(
            kind="regression" if step < 0.0 else "progression", at=at,
            campaign=str(row["campaign"]), label=str(row["label"]), ratio=math.exp(step),
            lower=math.exp(step - half), upper=math.exp(step + half),
            probability=1.0 / (1.0 + 2.0 ** -found.saved_bits[number - 1]),
            cells=tuple(cells) if len(samples.cells) > 1 else (),
        )  # fmt: skip
