"""Where line rate is sustained: a map over accesses and frame size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import accesses_axis, fixed_ticks, ticks
from linerate.reports.drawing.colours import SURE
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.marks import of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import by_path_and_queues, panels_left_out
from linerate.reports.drawing.style import styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES, FRAME_SIZE
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, saturated_cells, varied
from linerate.reports.tables.grids import access_grid, crossed
from linerate.reports.tables.left_out import NO_MODEL, NO_RUNS
from linerate.reports.tables.spreads import stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

MAP_SIZES = 48
"""Frame sizes of the map."""
YES: dict[str, Any] = {"marker": "o", "markerfacecolor": "white", "markersize": 3.6}
NO: dict[str, Any] = {
    "marker": "x", "markersize": 3.4, "markeredgewidth": 1.0,
}  # fmt: skip
MARK: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black"}
NO_LINK = LeftOut(why=message("the table names no link speed, so that there is no line rate"))
NOT_VARIED = LeftOut(why=message("accesses and frame sizes were not both varied at line-rate load"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Probability of sustaining line rate over accesses and frame size, and measured answers."""
    cells = saturated_cells(section.training)
    if cells.empty:
        return NO_RUNS
    if section.predictor is None:
        return NO_MODEL
    if not np.isfinite(cells["link_gbps"].iloc[0]):
        return NO_LINK
    cells = varied(varied(cells, "memory_accesses"), "frame_bytes")
    if cells.empty:
        return NOT_VARIED
    groups = cells[[*PAIR, "queues", "link_gbps"]].drop_duplicates()
    sizes = np.geomspace(cells["frame_bytes"].min(), cells["frame_bytes"].max(), MAP_SIZES)
    grid = crossed(crossed(groups, "memory_accesses", access_grid(cells["memory_accesses"])),
                   "frame_bytes", sizes)  # fmt: skip
    sure = grid.assign(sustains_line_rate=section.predictor.predict(grid).sustains_line_rate)
    columns = [*PAIR, "queues", "memory_accesses", "frame_bytes"]
    return stacked(
        model=sure[[*columns, "sustains_line_rate"]],
        measured=cells[[*columns, "sustained", "mpps", "line_rate_mpps", "runs"]],
    )


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the probability of line rate over accesses and frame size, and measured answers."""
    grid, found = by_path_and_queues(table, words, ax)
    measured, colours = of(table, "measured"), _colours()
    for axes, rows in found:
        _mesh(axes, of(rows, "model"), colours)
        for drawn, sustained in ((YES, True), (NO, False)):
            own = of(rows, "measured", sustained=sustained)
            axes.plot(own["memory_accesses"].to_numpy(dtype=float),
                      own["frame_bytes"].to_numpy(dtype=float), clip_on=False, in_layout=False,
                      zorder=3, **MARK, **drawn)  # fmt: skip
        axes.grid(False)
    accesses_axis(grid.shared, list(measured["memory_accesses"].unique()), words)
    grid.shared.set_yscale("log", base=2)
    fixed_ticks(grid.shared, "y", np.sort(measured["frame_bytes"].unique()), words)
    _colour_bar(grid, colours, words)
    grid.label(words(ACCESSES), words(FRAME_SIZE), words)
    key = [key_entry(label, **MARK, **drawn)
           for drawn, label in ((YES, words("measured: sustained")),
                                (NO, words("measured: not")))]  # fmt: skip
    grid.key(key)
    return grid


def _colours() -> ScalarMappable:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    return ScalarMappable(norm=Normalize(0.0, 1.0),
                          cmap=LinearSegmentedColormap.from_list("sure", SURE))  # fmt: skip


def _mesh(axes: Axes, rows: pd.DataFrame, colours: ScalarMappable) -> None:
    if not rows.empty:
        sure = rows.pivot(index="frame_bytes", columns="memory_accesses",
                          values="sustains_line_rate")  # fmt: skip
        axes.pcolormesh(
            sure.columns.to_numpy(dtype=float), sure.index.to_numpy(dtype=float), sure.to_numpy(),
            cmap=colours.cmap, shading="nearest", rasterized=True,
            norm=cast("Normalize", colours.norm),
        )  # fmt: skip


def _colour_bar(grid: Panels, colours: ScalarMappable, words: Words) -> None:
    rows, columns = grid.axes.shape
    bar = grid.figure.colorbar(colours, pad=0.1 / columns, aspect=25, shrink=max(0.3, 0.9 / rows),
                               anchor=(0.0, 1.0), ax=grid.axes.ravel().tolist())  # fmt: skip
    bar.set_label(words("Probability of\nsustaining line rate"))
    bar.ax.yaxis.set_major_formatter(ticks(words))


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what colours and marks are."""
    yield words("Colour: the model's probability that at least 99 % of line rate is forwarded.")
    yield words("Marks: whether the median of the repetitions was.")
    yield from panels_left_out(table, words)


FIGURE = FigureKind(
    name="line-rate-map", title=message("Where line rate is sustained"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
