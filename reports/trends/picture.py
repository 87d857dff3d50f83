"""The rate of each campaign in order, with the levels that were found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.trends.changes import Trend
from linerate.models.trends.samples import OF_ONE
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.keys import key_entry, key_measured
from linerate.reports.drawing.marks import bars
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import colour, styled
from linerate.reports.language import Words, message
from linerate.reports.validation.files import write_files

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LABELS_MAX = 8
"""Campaigns that are named below the axis."""
LEVELS = {"regression": colour(1), "progression": colour(2), "": colour(0)}
"""Colour of a level by how it was reached."""
VALUE = {OF_ONE: message("Throughput (Mpps)"), "": message("Throughput over its median")}


def trend_table(found: Trend) -> pd.DataFrame:
    """List what is drawn: ``place`` (from 1), the samples, their level and how it was reached.

    Returns
    -------
    ``place, campaign, label, value, min_value, max_value, loads, group, level, reached``.
    """
    reached = ["", *(change.kind for change in found.changes)]
    samples = found.samples.drop(columns=["campaign_id", "step"], errors="ignore")
    named = samples.rename(columns={"lower": "min_value", "upper": "max_value"})
    return named.assign(
        place=np.arange(1, len(named) + 1), reached=[reached[one] for one in named["group"]]
    )


@styled()
def draw_trend(
    table: pd.DataFrame, words: Words, ax: Axes | None = None, *, unit: str = OF_ONE
) -> Panels:  # fmt: skip
    """Draw a mark for each campaign and a line for each level.

    Parameters
    ----------
    table
        As ``trend_table`` gives it.
    words
        The reader's language.
    ax
        Axes in whose place it is drawn.
    unit
        Of the values, as ``Trend`` says it.
    """
    grid = panels(Layout(rows=1, columns=1), ax)
    axes: Axes = grid.axes[0, 0]
    bars(axes, table, "place", "value", color="#777777", markersize=3.0)
    for _, own in table.groupby("group"):
        first, last = own["place"].iloc[[0, -1]]
        axes.plot([first - 0.5, last + 0.5], [own["level"].iloc[0]] * 2, linewidth=2.0, zorder=3,
                  color=LEVELS[own["reached"].iloc[0]])  # fmt: skip
    shown = np.unique(np.linspace(0, len(table) - 1, min(LABELS_MAX, len(table))).astype(int))
    axes.set_xticks(table["place"].iloc[shown], [str(one) for one in table["label"].iloc[shown]],
                    rotation=30, ha="right")  # fmt: skip
    axes.yaxis.set_major_formatter(ticks(words))
    grid.label("", words(VALUE.get(unit, VALUE[""])), words)
    grid.key(_key(set(table["reached"]), words))
    return grid


def _key(reached: set[str], words: Words) -> list[Artist]:
    line: dict[str, Any] = {"linewidth": 2.0}
    names = {"": words("first level"), "regression": words("slower than before"),
             "progression": words("faster than before")}  # fmt: skip
    levels = [key_entry(name, color=LEVELS[kind], **line) for kind, name in names.items()
              if kind in reached]  # fmt: skip
    return [key_measured(words("campaign"), color="#777777"), *levels]


def write_trend(path: Path, found: Trend, cell: str) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    table = trend_table(found)
    drawn = draw_trend(table, Words(), unit=found.unit)
    return write_files(path, drawn, table, texts_of(found, cell))


def texts_of(found: Trend, cell: str) -> dict[str, str]:
    """Title and caption of the picture."""
    bar = "its program loads" if found.unit == OF_ONE else "its cells"
    return {
        "title": "Throughput over campaigns",
        "caption": (
            f"{cell or 'All cells'}; {len(found.samples)} campaigns, marks are medians of program "
            f"loads, bars from the smallest to the largest of {bar}; levels by minimum description "
            "length;"
        ),
    }
