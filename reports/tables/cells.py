"""Cells to which line rate was offered, and what the model says of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.line_rate import SATURATING_RATIO, sustains
from linerate.models import Training
from linerate.models.runs.cells import FACTORS
from linerate.reports.section import Section
from linerate.reports.tables.spreads import spread_of

PAIR = ["datapath", "program"]


def saturated_cells(training: Training | None) -> pd.DataFrame:
    """Cells to which line rate was offered, with the spread of their runs.

    Returns
    -------
    One row a cell of ``cell_codes``: ``datapath, program``, its factors, ``line_rate_mpps, runs,
    mpps`` (median), ``min_mpps, max_mpps, sustained``; of the commonest link speed only; empty
    without training. Cells that differ in arrivals or flows have the same factors.
    """
    if training is None:
        return pd.DataFrame(columns=[*PAIR, *FACTORS, "link_gbps"])
    saturated = training.cells.offered_mpps >= SATURATING_RATIO * training.cells.line_mpps
    speeds = pd.Series(training.cells.link_gbps[saturated])
    if saturated.any():
        saturated &= training.cells.link_gbps == speeds.mode().iloc[0]
    runs = training.take(saturated)
    # Runs of a cell are alike in all but their rates.
    _, first, of_run = np.unique(runs.cell, return_index=True, return_inverse=True)
    cells = runs.cells.take(first)
    pairs = [cells.pairs[code] for code in cells.pair]
    factors = pd.DataFrame({
        "datapath": [pair.datapath for pair in pairs], "program": [pair.program for pair in pairs],
        **{name: getattr(cells, name) for name in FACTORS},
        "line_rate_mpps": cells.line_mpps, "cell": runs.cell[first],
    })  # fmt: skip
    rates = spread_of(pd.Series(runs.forwarded_mpps, name="mpps").groupby(of_run), "mpps")
    found = pd.concat([factors, rates.drop(columns="index")], axis=1)
    found = found.sort_values([*PAIR, *FACTORS, "line_rate_mpps", "cell"], ignore_index=True)
    return found.drop(columns="cell").assign(
        sustained=sustains(found["mpps"], found["line_rate_mpps"])
    )


def varied(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells of the paths that have at least two values of a factor."""
    if cells.empty:
        return cells
    return cells[cells.groupby(PAIR)[name].transform("nunique") >= 2]


def inside(lines: pd.DataFrame, cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Keep the points of a path's lines between its own smallest and largest value."""
    ends = cells.groupby(PAIR)[name].agg(["min", "max"]).reset_index()
    found = lines.merge(ends, on=PAIR)
    return found[found[name].between(found["min"], found["max"])].drop(columns=["min", "max"])


def model_rates(section: Section, cells: pd.DataFrame) -> pd.DataFrame:
    """Add the model's ``mpps`` to cells; no rows where there is no model or no cells."""
    if section.predictor is None or cells.empty:
        return cells.head(0).assign(mpps=pd.Series(dtype=float))
    return cells.assign(mpps=section.predictor.predict(cells).predicted_mpps)
