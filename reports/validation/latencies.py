"""Predicted latency over measured, of runs that were held out: one panel for each quantity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.models.validation.latency import ALL, LatencyValidation
from linerate.reports.drawing.agreement import agreement_key, equality, marks
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import styled
from linerate.reports.language import Words
from linerate.reports.validation.files import write_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 2
"""Panels side by side."""


@styled()
def draw_latencies(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw each held-out run once for each quantity that was predicted of it.

    Parameters
    ----------
    table
        As the frame of ``LatencyValidation``.
    words
        The reader's language.
    ax
        Axes in whose place it is drawn.
    """
    table = table[np.isfinite(table["predicted_us"].to_numpy(dtype=float))]
    quantities, names = list(table["quantity"].unique()), sorted(table["name"].unique())
    columns = min(COLUMNS, len(quantities))
    layout = Layout(rows=-(-len(quantities) // columns), columns=columns, share_x=False)
    grid = panels(layout, ax)
    for axes, quantity in zip(grid.axes.flat, quantities, strict=False):
        rows = table[table["quantity"] == quantity]
        for index, name in enumerate(names):
            own = rows[rows["name"] == name]
            marks(axes, own["measured_us"], own["predicted_us"], index)
        equality(axes, table[["measured_us", "predicted_us"]], words)
        axes.set_title(quantity)
    for axes in grid.axes.flat[len(quantities) :]:
        axes.set_visible(False)
    grid.label(words("Measured latency (µs)"), words("Predicted latency (µs)"))
    grid.key(agreement_key(names, words))
    return grid


def write_latency_picture(path: Path, found: LatencyValidation, box: str) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    errors = "; ".join(
        f"{score.quantity} {score.error.median_percent:.0f} % of {score.runs}"
        for score in found.scores if score.name == ALL
    )  # fmt: skip
    texts = {
        "title": "Latency of runs that the model had not seen",
        "caption": f"Box {box}; each mark a run; median errors: {errors};",
    }
    return write_files(path, draw_latencies(found.frame, Words()), found.frame, texts)
