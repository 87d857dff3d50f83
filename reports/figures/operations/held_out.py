"""Times of packets by costs of operations that had not seen them, beside the measured ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.models.operations import mix_runs
from linerate.reports.drawing.agreement import agreement_key, equality, marks
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.throughput.by_split import NO_ERRORS, SORTS
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.section.rows import without_curves
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ["measured_ns", "predicted_ns"]


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take each work inside the measured range, predicted by a fit without it and its likes.

    Returns
    -------
    ``datapath, program, frame_bytes, queues`` and, of pipelines and programs of them,
    ``operations``; ``by`` (what was held out), ``work``, ``runs``, ``measured_ns``,
    ``predicted_ns``, ``error_percent`` of the time.
    """
    if section.mix_scores is None:
        return NO_ERRORS
    runs = without_curves(section.runs)
    mixed = mix_runs(runs)
    names = ["datapath", "program", "frame_bytes", "queues"]
    names += ["operations"] if "operations" in runs.columns else []
    rows = []
    for one in section.mix_scores.answered:
        own = mixed.row[mixed.work == mixed.works.index(one.work)]
        rows.append({
            **runs.iloc[int(own[0])][names].to_dict(), "by": one.sort, "work": str(one.work),
            "runs": len(own), "measured_ns": one.measured_ns, "predicted_ns": one.predicted_ns,
            "error_percent": 100.0 * (one.predicted_ns / one.measured_ns - 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows).assign(series="measured") if rows else NO_ERRORS


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw predicted over measured times, a mark for what was held out."""
    grid = panels(Layout(rows=1, columns=1), ax)
    axes: Axes = grid.axes[0, 0]
    sorts = [sort for sort in SORTS if sort in set(table["by"])]
    for index, sort in enumerate(sorts):
        own = table[table["by"] == sort]
        marks(axes, own["measured_ns"], own["predicted_ns"], index)
    equality(axes, table[ENDS].to_numpy(dtype=float), words)
    grid.label(words("Measured time of a packet (ns)"), words("Predicted time (ns)"))
    grid.key(agreement_key([words(SORTS[sort]) for sort in sorts], words))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what was held out, and how far off the predictions were."""
    error = np.abs(table["error_percent"].to_numpy(dtype=float))
    yield words("Marks: median time of a packet's runs against its prediction by all others, "
                "without those that would give it away.")  # fmt: skip
    yield words("Absolute error, median / mean: {median} / {mean} %.",
                median=words.number(float(np.median(error)), 2),
                mean=words.number(float(error.mean()), 2))  # fmt: skip


FIGURE = FigureKind(
    name="held-out-operations",
    title=message("Times of packets that the costs of operations had not seen"),
    studies=("operations", "pipelines", "filters", "chains"), table=table, draw=draw,
    caption=caption, place=54,
)  # fmt: skip
