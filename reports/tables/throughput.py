"""Tables of throughput against accesses, frame size and queues."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.reports.sections import Section
from linerate.reports.tables.cells import (
    LINE_POINTS,
    NO_RUNS,
    PAIR,
    LeftOut,
    access_grid,
    crossed,
    few,
    inside,
    model_rates,
    saturated_cells,
    stacked,
    varied,
)
from linerate.units import line_rate_mpps

ACCESS_COUNTS_MAX = 4
"""Access counts that share one panel or row, so that it can be read."""
MEASURED = [*PAIR, "memory_accesses", "queues", "frame_bytes", "mpps", "min_mpps", "max_mpps",
            "runs"]  # fmt: skip


def throughput_by_accesses_table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured, modelled and line rates over accesses, paths whose accesses were varied."""
    cells = varied(saturated_cells(section.training), "memory_accesses")
    if cells.empty:
        return LeftOut(why="accesses were not varied at line-rate load") if section.pairs else (
            NO_RUNS)  # fmt: skip
    groups = cells[[*PAIR, "queues", "frame_bytes", "link_gbps"]].drop_duplicates()
    lines = crossed(groups, "memory_accesses", access_grid(cells["memory_accesses"]))
    ends = cells["memory_accesses"].agg(["min", "max"]).to_numpy(dtype=np.float64)
    return stacked(
        measured=cells[MEASURED],
        model=_drawn(model_rates(section, inside(lines, cells, "memory_accesses"))),
        line_rate=_line_rates(crossed(groups, "memory_accesses", ends)),
    )


def throughput_by_frame_size_table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured, modelled and line rates over frame size, for a few access counts."""
    cells = varied(saturated_cells(section.training), "frame_bytes")
    if cells.empty:
        return LeftOut(why="frame size was not varied at line-rate load") if section.pairs else (
            NO_RUNS)  # fmt: skip
    counts = few(cells["memory_accesses"], ACCESS_COUNTS_MAX)
    cells = cells[cells["memory_accesses"].isin(counts)]
    groups = cells[[*PAIR, "queues", "memory_accesses", "link_gbps"]].drop_duplicates()
    sizes = np.geomspace(cells["frame_bytes"].min(), cells["frame_bytes"].max(), LINE_POINTS)
    lines = crossed(groups, "frame_bytes", sizes)
    panels = groups[["queues", *PAIR, "link_gbps"]].drop_duplicates()
    return stacked(
        measured=cells[MEASURED],
        model=_drawn(model_rates(section, lines)),
        line_rate=_line_rates(crossed(panels, "frame_bytes", sizes)),
    )


def scaling_table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured and modelled rates over queues at the smallest frame, beside ideal scaling."""
    cells = varied(saturated_cells(section.training), "queues")
    if cells.empty:
        return LeftOut(why="queues were not varied at line-rate load") if section.pairs else (
            NO_RUNS)  # fmt: skip
    cells = cells[cells["frame_bytes"] == cells["frame_bytes"].min()]
    counts = few(cells["memory_accesses"], ACCESS_COUNTS_MAX)
    cells = cells[cells["memory_accesses"].isin(counts)]
    groups = cells[[*PAIR, "memory_accesses", "frame_bytes", "link_gbps"]].drop_duplicates()
    queues = np.arange(cells["queues"].min(), cells["queues"].max() + 1)
    ends = groups[["memory_accesses", "frame_bytes", "link_gbps"]].drop_duplicates()
    return stacked(
        measured=cells[MEASURED],
        model=_drawn(model_rates(section, inside(crossed(groups, "queues", queues), cells,
                                                  "queues"))),
        ideal=_ideal(cells),
        line_rate=_line_rates(crossed(ends, "queues", queues[[0, -1]])),
    )  # fmt: skip


def _line_rates(cells: pd.DataFrame) -> pd.DataFrame:
    rated = cells.assign(mpps=line_rate_mpps(cells["link_gbps"], cells["frame_bytes"]))
    return _drawn(rated[np.isfinite(rated["mpps"])])


def _ideal(cells: pd.DataFrame) -> pd.DataFrame:
    """From the fewest queues measured, as many times the rate as there are queues."""
    ordered = cells.sort_values("queues")
    first = ordered.groupby([*PAIR, "memory_accesses", "frame_bytes"]).first().reset_index()
    most = cells["queues"].max()
    last = first.assign(queues=most, mpps=first["mpps"] * most / first["queues"])
    return _drawn(pd.concat([first, last], ignore_index=True))


def _drawn(lines: pd.DataFrame) -> pd.DataFrame:
    return lines[[name for name in MEASURED[:6] if name in lines.columns]]
