"""The answer that a report begins with: where line rate is sustained, and what limits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from linerate.line_rate import LIKELY
from linerate.models import Capacity, Predictor, cells_of
from linerate.reports.section import Section
from linerate.reports.tables.cells import PAIR, saturated_cells
from linerate.reports.tables.grids import access_grid, crossed

SURE = 0.9
"""Probability from which line rate is predicted to be sustained for sure."""
GROUP = [*PAIR, "queues", "frame_bytes", "link_gbps", "line_rate_mpps"]
Tone = Literal["yes", "partly", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """One fitted constant of a path."""

    datapath: str
    program: str
    name: str
    """With its unit as last word; none where it has none."""
    value: float
    lower: float
    upper: float
    """Ends of its 90 % interval; nan where none was found."""


def verdict_table(section: Section) -> pd.DataFrame:
    """Up to how many accesses line rate is sustained, by path, queues and frame size.

    Returns
    -------
    ``datapath, program, queues, frame_bytes, link_gbps, line_rate_mpps``, the range of accesses
    ``least_accesses, most_accesses``; measured ``measured_yes_to, measured_no_from``; predicted
    ``likely_to`` and ``sure_to`` (nan: not even with the fewest), without a model neither. Empty
    without a line rate.
    """
    cells = saturated_cells(section.training)
    if cells.empty or not np.isfinite(cells["link_gbps"].iloc[0]):
        return pd.DataFrame(columns=GROUP)
    groups = cells.groupby(GROUP)
    rows = pd.DataFrame({
        "measured_yes_to": cells[cells["sustained"]].groupby(GROUP)["memory_accesses"].max(),
        "measured_no_from": cells[~cells["sustained"]].groupby(GROUP)["memory_accesses"].min(),
        "cells": groups.size(),
    }).reset_index()  # fmt: skip
    ends = cells.groupby(PAIR)["memory_accesses"].agg(least_accesses="min", most_accesses="max")
    rows = rows.merge(ends.reset_index(), on=PAIR)
    if section.predictor is None:
        return rows
    return rows.merge(_predicted_to(section.predictor, cells, rows), on=GROUP, how="left")


def _predicted_to(predictor: Predictor, cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    grid = crossed(rows, "memory_accesses", access_grid(cells["memory_accesses"], 400))
    grid = grid[grid["memory_accesses"].between(grid["least_accesses"], grid["most_accesses"])]
    sure = predictor.predict(grid).sustains_line_rate
    found = [
        grid[sure >= at_least].groupby(GROUP)["memory_accesses"].max().rename(name)
        for name, at_least in (("likely_to", LIKELY), ("sure_to", SURE))
    ]
    return pd.concat(found, axis=1).reset_index()


def tone(row: pd.Series) -> Tone:
    """Say whether line rate is sustained at all access counts, at some, or at none."""
    if "likely_to" not in row.index:
        return "unknown"
    to = row["likely_to"]
    if np.isnan(to):
        return "no"
    return "yes" if to >= row["most_accesses"] else "partly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """What one path does at best with the smallest frame."""

    datapath: str
    program: str
    frame_bytes: float
    line_rate_mpps: float
    queues: int
    accesses: float
    """Most for which line rate is likely sustained; the fewest where it never is."""
    sustains: bool
    all_accesses: bool
    """Whether it is at the most that was measured."""
    predicted_mpps: float
    lower_mpps: float
    upper_mpps: float
    bottleneck: str


def best_of_each_path(section: Section) -> list[Best]:
    """For each path the queue count that goes farthest with the smallest frame."""
    table = verdict_table(section)
    if section.predictor is None or table.empty:
        return []
    small = table[table["frame_bytes"] == table.groupby(PAIR)["frame_bytes"].transform("min")]
    cells = small.assign(memory_accesses=small["likely_to"].fillna(small["least_accesses"]))
    predicted = section.predictor.predict(cells)
    cells = cells.assign(**predicted.columns()).sort_values(
        ["likely_to", "predicted_mpps", "queues"], ascending=[False, False, True],
        na_position="last",
    )  # fmt: skip
    return [_best(row) for _, row in cells.groupby(PAIR, sort=False).head(1).iterrows()]


def _best(row: pd.Series) -> Best:
    return Best(
        datapath=row["datapath"], program=row["program"], frame_bytes=row["frame_bytes"],
        line_rate_mpps=row["line_rate_mpps"], queues=int(row["queues"]),
        accesses=row["memory_accesses"], sustains=bool(np.isfinite(row["likely_to"])),
        all_accesses=bool(row["likely_to"] >= row["most_accesses"]),
        predicted_mpps=row["predicted_mpps"], lower_mpps=row["lower_mpps"],
        upper_mpps=row["upper_mpps"], bottleneck=row["bottleneck"],
    )  # fmt: skip


def bottleneck_table(section: Section) -> pd.DataFrame:
    """How many measured cells each limit bounds: ``datapath, program, queues, bottleneck, cells``.

    Empty without a model.
    """
    cells = saturated_cells(section.training)
    if section.predictor is None or cells.empty:
        return pd.DataFrame(columns=[*PAIR, "queues", "bottleneck", "cells"])
    limits = section.predictor.model.limits(cells_of(cells, section.predictor.pairs))
    named = cells.assign(bottleneck=limits.bottleneck)
    counted = named.groupby([*PAIR, "queues", "bottleneck"]).size()
    return counted.rename("cells").reset_index()


def constants(section: Section) -> Sequence[Constant]:
    """Fitted constants of the physical model; none of another model."""
    model = section.predictor.model if section.predictor is not None else None
    if not isinstance(model, Capacity):
        return []
    found = []
    for path in model.paths:
        for name, value in path.values().items():
            lower, upper = path.intervals.get(name, (float("nan"), float("nan")))
            found.append(Constant(datapath=path.pair.datapath, program=path.pair.program,
                                  name=name, value=value, lower=lower, upper=upper))  # fmt: skip
    return found
