"""Variance components of rates: what a run, a program load and the law's misfit each add."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.line_rate import sustains
from linerate.models import Pair
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.dots import named_rows, offset, rows_inches
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.paths import of_path, path_rows
from linerate.reports.drawing.style import look, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.components import components
from linerate.reports.tables.left_out import NO_MODEL, NO_RUNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "run": message("runs of one program load"), "load": message("program loads of one cell"),
    "residual": message("cells off the fitted law"),
}  # fmt: skip
TOGETHER = message("program loads of one cell, with their runs")
NO_SPREAD = LeftOut(why=message("no cell below line rate was repeated"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the spread of log rates by component and path, of cells below line rate.

    Returns
    -------
    ``datapath, program, component, percent``, and of each path its
    ``cells``, ``runs`` and ``loads``; no row of a component that these runs do not tell.
    """
    predictor, training = section.predictor, section.training
    if predictor is None or training is None:
        return NO_RUNS if training is None else NO_MODEL
    fitted_mpps = predictor.model.limits(training.cells).service_mpps
    rows = pd.DataFrame({
        "cell": training.cell, "load": training.load, "pair": training.cells.pair,
        "residual": np.log(training.forwarded_mpps / fitted_mpps),
    })  # fmt: skip
    most_mpps = np.maximum(training.forwarded_mpps, fitted_mpps)
    rows = rows[~sustains(most_mpps, training.ceiling_mpps)]
    parts = [
        _of_path(own, training.cells.pairs[int(own["pair"].iloc[0])])
        for _, own in rows.groupby("pair") if own.groupby("cell").size().max() > 1
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True) if parts else NO_SPREAD


def _of_path(rows: pd.DataFrame, pair: Pair) -> pd.DataFrame:
    found = {name: value for name, value in components(rows).items() if np.isfinite(value)}
    return pd.DataFrame({
        "datapath": pair.datapath, "program": pair.program, "component": list(found),
        "percent": [100.0 * value for value in found.values()],
        "cells": rows["cell"].nunique(), "runs": len(rows), "loads": rows["load"].nunique(),
        "series": "measured",
    })  # fmt: skip


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each path, a mark for each component."""
    names = path_rows(table)
    there = [name for name in NAMES if name in set(table["component"])]
    layout = Layout(rows=1, columns=1, row_inches=rows_inches(list(names.values()), len(there)))
    grid = panels(layout, ax)
    axes: Axes = grid.axes[0, 0]
    for place, path in enumerate(names):
        own = of_path(table, path).set_index("component")["percent"]
        for index, name in enumerate(name for name in there if name in own.index):
            axes.plot([own[name]], [place + offset(index, len(there))], linestyle="", zorder=3,
                      clip_on=False, **look(there.index(name)))  # fmt: skip
    named_rows(axes, list(names.values()))
    axes.set_xlim(0.0, 1.08 * float(table["percent"].max()) or 1.0)
    axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words("Standard deviation of the rate (%)"), "")
    grid.key(dots_key([words(_name(name, there)) for name in there]))
    return grid


def _name(component: str, there: list[str]) -> str:
    return TOGETHER if component == "load" and "run" not in there else NAMES[component]


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are, and what these runs cannot tell."""
    yield words("Marks: standard deviation of the logarithm of rates below line rate, by the "
                "method of moments, against the fitted law.")  # fmt: skip
    if "run" not in set(table["component"]):
        yield words("Each program load has one run of a cell: loads and runs cannot be told apart.")


FIGURE = FigureKind(
    name="variance-components", title=message("Where the spread of rates comes from"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=54,
)  # fmt: skip
