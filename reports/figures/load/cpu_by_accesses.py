"""CPU use over memory accesses at line-rate load: colours by frame size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.line_rate import SATURATING_RATIO
from linerate.models import cells_of
from linerate.models.runs.selection import alike, believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import panels_left_out
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.load.by_accesses import draw_by_accesses
from linerate.reports.figures.load.panels_by_load import CPU, percent
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, inside, varied
from linerate.reports.tables.grids import access_grid, crossed
from linerate.reports.tables.spreads import rows_where, spread_of, stacked
from linerate.units import line_rate_mpps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = [*PAIR, "queues", "frame_bytes", "link_gbps"]
NO_CPU = LeftOut(
    why=message("the table has no CPU use at line-rate load over several access counts")
)


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Busy share over accesses with line rate offered, measured and by the model."""
    rows = _line_rate_rows(section.rows("capacity"))
    rows = varied(rows[rows["cpu_busy_ratio"].notna()], "memory_accesses")
    if rows.empty:
        return NO_CPU
    busy = rows.groupby([*FACTORS, "memory_accesses"])["cpu_busy_ratio"]
    measured = spread_of(busy, "cpu_busy_ratio")
    groups = measured[FACTORS].drop_duplicates()
    grid = crossed(groups, "memory_accesses", access_grid(measured["memory_accesses"]))
    return stacked(
        measured=measured,
        model=_predicted(section, inside(grid, measured, "memory_accesses")),
    )


def _line_rate_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Believed runs of the capacity mode to which line rate was offered, one link speed."""
    rows, notes = believable(runs)
    rows, _ = alike(rows, notes)
    if "mode" in rows.columns and bool((rows["mode"] == CAPACITY_MODE).any()):
        rows = rows_where(rows, rows["mode"].isin([CAPACITY_MODE]))
    line_mpps = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    offered = rows["offered_mpps"].astype("float64").fillna(np.inf).to_numpy()
    rows = rows_where(rows, np.isfinite(line_mpps) & (offered >= SATURATING_RATIO * line_mpps))
    if rows.empty:
        return rows
    return rows_where(rows, rows["link_gbps"] == rows["link_gbps"].mode().iloc[0])


def _predicted(section: Section, grid: pd.DataFrame) -> pd.DataFrame:
    shares = section.file.cpu_shares if section.file is not None else None
    if section.predictor is None or shares is None or grid.empty:
        return grid.head(0)
    cells = cells_of(grid, section.predictor.pairs)
    service_mpps = section.predictor.model.limits(cells).service_mpps
    return grid.assign(cpu_busy_ratio=shares.predict_cells(cells, service_mpps))


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw CPU use over accesses."""
    drawn = draw_by_accesses(percent(table, "cpu_busy_ratio"), "cpu_busy_ratio", CPU, words, ax)
    drawn.shared.set_ylim(0.0, 105.0)
    return drawn


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are."""
    yield words("Line rate offered.")
    yield from marks_of(table, words)
    yield from panels_left_out(table, words)
    if "model" in set(table["series"]):
        yield words("Lines: the fitted CPU share, as sampling sees it.")


FIGURE = FigureKind(
    name="cpu-by-accesses", title=message("CPU use against memory accesses"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=90,
)  # fmt: skip
