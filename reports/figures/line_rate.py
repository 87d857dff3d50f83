"""Where line rate is sustained: a map over accesses and frame size."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from linerate.reports.figures.panels import by_path_and_queues, of
from linerate.reports.style import accesses_axis, styled, ticks
from linerate.reports.words import Words

UNSURE = LinearSegmentedColormap.from_list("unsure", ["#D55E00", "#f7f7f7", "#0072B2"])
"""From no (vermillion) over either (white) to yes (blue)."""
SURE = Normalize(0.0, 1.0)
YES = {"marker": "o", "markerfacecolor": "black", "markersize": 3.2}
NO = {"marker": "X", "markerfacecolor": "white", "markersize": 4.0, "markeredgewidth": 0.5}


@styled()
def line_rate_map(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the probability of line rate over accesses and frame size, and measured answers."""
    grid, found = by_path_and_queues(table, words)
    measured = of(table, "measured")
    for axes, rows in found:
        _mesh(axes, of(rows, "model"))
        for drawn, sustained in ((YES, True), (NO, False)):
            own = of(rows, "measured", sustained=sustained)
            axes.plot(own["memory_accesses"].to_numpy(dtype=float),
                      own["frame_bytes"].to_numpy(dtype=float), linestyle="",
                      markeredgecolor="black", clip_on=False, in_layout=False, zorder=3, **drawn)  # type: ignore[arg-type]  # fmt: skip
        accesses_axis(axes, list(measured["memory_accesses"].unique()), words)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_locator(FixedLocator(sorted(measured["frame_bytes"].unique())))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(ticks(words, 3))
        axes.grid(False)
    bar = grid.figure.colorbar(ScalarMappable(norm=SURE, cmap=UNSURE), pad=0.1 / grid.axes.shape[1],
                               aspect=25, shrink=max(0.3, 0.9 / grid.axes.shape[0]),
                               anchor=(0.0, 1.0), ax=grid.axes.ravel().tolist())  # fmt: skip
    bar.set_label(words("Probability of\nsustaining line rate"))
    bar.ax.yaxis.set_major_formatter(ticks(words))
    grid.label(words("Memory accesses per packet"), words("Frame size (B, with FCS)"), _key(words),
               above=True)  # fmt: skip
    return grid.figure


def _mesh(axes: Axes, rows: pd.DataFrame) -> QuadMesh | None:
    if rows.empty:
        return None
    sure = rows.pivot(index="frame_bytes", columns="memory_accesses", values="sustains_line_rate")
    return axes.pcolormesh(
        sure.columns.to_numpy(dtype=float), sure.index.to_numpy(dtype=float), sure.to_numpy(),
        cmap=UNSURE, norm=SURE, shading="nearest", rasterized=True,
    )  # fmt: skip


def _key(words: Words) -> list[Artist]:
    return [
        Line2D([], [], linestyle="", markeredgecolor="black", label=label, **drawn)  # type: ignore[arg-type]
        for drawn, label in ((YES, words("measured: sustained")), (NO, words("measured: not")))
    ]
