"""Datapaths that run one function, ranked by the time of a packet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from linerate.models.comparison import Standing
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.marks import dots
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import INK, styled
from linerate.reports.language import Words, message
from linerate.reports.validation.files import write_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = message("One function on every datapath")
LOOK = {"marker": "o", "color": INK}


def ranking_table(standings: Sequence[Standing]) -> pd.DataFrame:
    """Tabulate what is drawn: a row a datapath, the fastest first.

    Returns
    -------
    The fields of ``Standing``, and ``min_packet_ns, max_packet_ns``: the interval, or the time
    itself where fewer than 5 loads leave none.
    """
    table = pd.DataFrame([asdict(each) for each in standings])
    return table.assign(
        min_packet_ns=table["lower_ns"].fillna(table["packet_ns"]),
        max_packet_ns=table["upper_ns"].fillna(table["packet_ns"]),
    )


@styled()
def draw_ranking(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each datapath: time of a packet with its interval, and its rate in words."""
    names = [
        name if is_ranked else words("{name}, not ranked", name=name)
        for name, is_ranked in zip(table["datapath"], table["ranked"], strict=True)
    ]
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(names, 1)), ax)
    axes = grid.axes[0, 0]
    dots(axes, table, range(len(names)), "packet_ns", LOOK)
    named_rows(axes, names)
    lowest, highest = table["min_packet_ns"].min(), table["max_packet_ns"].max()
    axes.set_xlim(lowest / 1.25, highest * 2.2)  # room for the last words
    for row, (end_ns, packet_ns) in enumerate(zip(table["max_packet_ns"], table["packet_ns"],
                                                  strict=True)):  # fmt: skip
        axes.annotate(f"{words.number(1e3 / packet_ns, 3)} Mpps", (end_ns, row), (5, 0),
                      textcoords="offset points", va="center", fontsize="small")  # fmt: skip
    log_axis(axes, "x", words)
    grid.label(words("Time of a packet (ns), 90 % interval"), "")
    return grid


def ranking_caption(
    table: pd.DataFrame, does: str, frame_bytes: int, words: Words
) -> Iterator[str]:
    """Say what is drawn, one sentence each."""
    yield words("Frames of {size} B, {does}: time of a packet on one core, where generator and "
                "device take turns.",
                size=words.number(frame_bytes), does=does)  # fmt: skip
    yield words.plural("Mark: {n} program load.", "Marks: median of {n} program loads.",
                       int(table["loads"].max()))  # fmt: skip
    yield words("Bars: 90 % interval of the median; beside them the rate of one core.")


def write_ranking(
    path: Path, does: str, frame_bytes: int, standings: Sequence[Standing]
) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    table, words = ranking_table(standings), Words()
    caption = " ".join(ranking_caption(table, does, frame_bytes, words))
    return write_files(path, draw_ranking(table, words), table,
                       {"title": words(TITLE), "caption": caption})  # fmt: skip
