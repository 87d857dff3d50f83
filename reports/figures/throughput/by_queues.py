"""Speed-up over queues: how many times the rate of the fewest, beside as many times the queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import fixed_ticks, ticks
from linerate.reports.drawing.keys import key_entry, key_mark
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import IDEAL, LINE_RATE, marker, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LINE_RATE_NAME
from linerate.reports.figures.throughput.lines import (
    ACCESS_COUNTS_MAX,
    CELL,
    left_out,
    line_rates,
    of_line,
    series_key,
)
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, inside, model_rates, saturated_cells, varied
from linerate.reports.tables.grids import crossed, few
from linerate.reports.tables.spreads import rows_where, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_VARIED = LeftOut(why=message("queues were not varied at line-rate load"))
PLACE = [*PAIR, "memory_accesses", "frame_bytes"]


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Rates over queues at the smallest frame, each over the rate of its path's fewest queues.

    Returns
    -------
    The columns of ``lines.CELL`` and ``speed_up`` with its ends. Measured rates are over the
    measured one, the model's over its own; line rate only where it is below ideal scaling.
    """
    cells = varied(saturated_cells(section.training), "queues")
    if cells.empty:
        return left_out(section, NOT_VARIED)
    cells = cells[cells["frame_bytes"] == cells["frame_bytes"].min()]
    counts = few(cells["memory_accesses"], ACCESS_COUNTS_MAX)
    cells = cells[cells["memory_accesses"].isin(counts)]
    groups = cells[[*PLACE, "link_gbps"]].drop_duplicates()
    queues = np.arange(cells["queues"].min(), cells["queues"].max() + 1)
    lines = inside(crossed(groups, "queues", queues), cells, "queues")
    measured = _over_fewest(cells[CELL], cells)
    rates = stacked(
        measured=measured,
        model=_over_fewest(of_line(model_rates(section, lines)), None),
        ideal=_ideal(measured),
        line_rate=_over_fewest(line_rates(crossed(groups, "queues", queues[[0, -1]])), cells),
    )
    ceiling = rates["series"] == "line_rate"
    most = queues[-1] / queues[0]
    kept = rows_where(rates, ~ceiling | (rates["speed_up"] < most))
    return kept.reset_index(drop=True)


def _over_fewest(rates: pd.DataFrame, reference: pd.DataFrame | None) -> pd.DataFrame:
    """Divide each rate by that of its path's fewest queues, of these rates or of others."""
    if rates.empty:
        return rates
    ordered = (rates if reference is None else reference).sort_values("queues")
    first = ordered.groupby(PLACE)["mpps"].first().rename("first_mpps").reset_index()
    both = rates.merge(first, on=PLACE, how="left")
    ends = {"mpps": "speed_up", "min_mpps": "min_speed_up", "max_mpps": "max_speed_up"}
    return both.assign(**{
        ratio: both[rate] / both["first_mpps"] for rate, ratio in ends.items() if rate in both
    }).drop(columns="first_mpps")  # fmt: skip


def _ideal(measured: pd.DataFrame) -> pd.DataFrame:
    """As many times the rate as there are queues."""
    ends = measured.groupby("memory_accesses")["queues"].agg(["min", "max"]).reset_index()
    parts = [ends.assign(queues=ends[end], speed_up=ends[end] / ends["min"])
             for end in ("min", "max")]  # fmt: skip
    return pd.concat(parts, ignore_index=True).drop(columns=["min", "max"])


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw speed-up over queues: a panel for each access count."""
    counts = sorted(table["memory_accesses"].unique())
    names = path_rows(table[table["series"] == "measured"])
    colours, queues = colours_of(names), of(table, "measured")["queues"].unique()
    grid = panels_for(len(counts), ax)
    grid.titles([accesses_text(count, words) for count in counts])
    for axes, count in zip(grid.axes.flat, counts, strict=False):
        rows = table[table["memory_accesses"] == count]
        line(axes, of(rows, "ideal"), "queues", "speed_up", **IDEAL)
        for index, path in enumerate(names):
            own = of_path(rows, path)
            line(axes, of(own, "line_rate"), "queues", "speed_up", **LINE_RATE)
            line(axes, of(own, "model"), "queues", "speed_up", color=colours[index])
            bars(axes, of(own, "measured"), "queues", "speed_up", color=colours[index],
                 marker=marker(index))  # fmt: skip
    fixed_ticks(grid.shared, "x", np.sort(queues), words)
    grid.shared.yaxis.set_major_formatter(ticks(words))
    grid.shared.set_ylim(0.0, 1.08 * float(np.nanmax(table[["speed_up", "max_speed_up"]])))
    grid.label(words("Queues, one core each"), words("Speed-up over the fewest queues"))
    key = [key_mark(name, index, colours) for index, name in enumerate(names.values())]
    key += series_key(table, words, words(LINE_RATE_NAME))
    grid.key([*key, key_entry(words("ideal: linear"), **IDEAL)])
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are."""
    there = set(table["series"])
    yield words("Smallest frame; each rate over that of the same path with the fewest queues.")
    yield from marks_of(table, words)
    if "model" in there:
        yield words("Coloured lines: the fitted model, over its own rate.")
    yield words("Dotted: as many times the rate as queues.")
    if "line_rate" in there:
        yield words("Dashed: line rate.")


FIGURE = FigureKind(
    name="queue-scaling", title=message("Speed-up by queues"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=40,
)  # fmt: skip
