"""Tables of where line rate is sustained."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models import Predictor
from linerate.reports.sections import Section
from linerate.reports.tables.cells import (
    NO_RUNS,
    PAIR,
    LeftOut,
    access_grid,
    crossed,
    saturated_cells,
    stacked,
    varied,
)

MAP_SIZES = 48
"""Frame sizes of the map."""


def line_rate_table(section: Section) -> pd.DataFrame | LeftOut:
    """Probability of sustaining line rate over accesses and frame size, and measured answers."""
    cells = saturated_cells(section.training)
    if cells.empty:
        return NO_RUNS
    if section.predictor is None:
        return LeftOut(why="no model could be fitted")
    if not np.isfinite(cells["link_gbps"].iloc[0]):
        return LeftOut(why="the table names no link speed, so that there is no line rate")
    cells = varied(varied(cells, "memory_accesses"), "frame_bytes")
    if cells.empty:
        return LeftOut(why="accesses and frame sizes were not both varied at line-rate load")
    groups = cells[[*PAIR, "queues", "link_gbps"]].drop_duplicates()
    sizes = np.geomspace(cells["frame_bytes"].min(), cells["frame_bytes"].max(), MAP_SIZES)
    grid = crossed(crossed(groups, "memory_accesses", access_grid(cells["memory_accesses"])),
                   "frame_bytes", sizes)  # fmt: skip
    columns = [*PAIR, "queues", "memory_accesses", "frame_bytes"]
    return stacked(
        model=_sure(section.predictor, grid)[[*columns, "sustains_line_rate"]],
        measured=cells[[*columns, "sustained", "mpps", "line_rate_mpps", "runs"]],
    )


def _sure(predictor: Predictor, cells: pd.DataFrame) -> pd.DataFrame:
    return cells.assign(sustains_line_rate=predictor.predict(cells).sustains_line_rate)
