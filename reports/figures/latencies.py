"""Predicted latency over measured, of runs that were held out: one panel for each quantity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from linerate.reports.figures.agreement import agreement_key, equality, marks
from linerate.reports.figures.panels import panels
from linerate.reports.style import styled
from linerate.reports.words import Words

COLUMNS = 2
"""Panels side by side."""


@styled()
def latencies(table: pd.DataFrame, words: Words) -> Figure:
    """Draw each held-out run once for each quantity that was predicted of it.

    Parameters
    ----------
    table
        As the frame of ``LatencyValidation``.
    words
        The reader's language.
    """
    table = table[np.isfinite(table["predicted_us"].to_numpy(dtype=float))]
    quantities, names = list(table["quantity"].unique()), sorted(table["name"].unique())
    columns = min(COLUMNS, len(quantities))
    grid = panels(-(-len(quantities) // columns), columns, share_x=False, share_y="all")
    for axes, quantity in zip(grid.axes.flat, quantities, strict=False):
        rows = table[table["quantity"] == quantity]
        for index, name in enumerate(names):
            own = rows[rows["name"] == name]
            marks(axes, own["measured_us"], own["predicted_us"], index)
        equality(axes, table[["measured_us", "predicted_us"]], words)
        axes.set_title(quantity)
    for axes in grid.axes.flat[len(quantities) :]:
        axes.set_visible(False)
    grid.label(words("Measured latency (µs)"), words("Predicted latency (µs)"),
               agreement_key(names, words))  # fmt: skip
    return grid.figure
