"""Kinds of chains: their rows, marks and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.drawing.axes import counts_axis, ticks
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.style import colour, marker
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import CHAIN, LOAD, factored
from linerate.reports.section import Section

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LENGTH = message("Service functions in the chain")
KEYS = ("datapath", "program", *CHAIN, *LOAD)
KIND = ("chain_function", "chain_topology")
OTHERS = tuple(name for name in (*CHAIN, *LOAD) if name not in KIND)
DASHES = {"hub": (0, (3, 1.5))}


def chain_rows(section: Section) -> pd.DataFrame:
    """Believed runs through chains."""
    rows, _ = believable(section.rows("chains"))
    return factored(rows, [*KEYS, "chain_length"])


def draw_kinds(
    axes: Axes, rows: pd.DataFrame, table: pd.DataFrame, name: str, *, join: bool = False
) -> None:
    """Draw each kind of chain with its fitted line, or with its marks joined."""
    for index, function, topology in _kinds(table):
        own = rows[(rows["chain_function"] == function) & (rows["chain_topology"] == topology)]
        line(axes, of(own, "measured" if join else "line"), "chain_length", name,
             color=colour(index), linewidth=0.6 if join else 1.2,
             linestyle=DASHES.get(topology, "-"))  # fmt: skip
        bars(axes, of(own, "measured"), "chain_length", name, **_style(index, topology))


def lengths_axis(axes: Axes, words: Words) -> None:
    """Whole numbers of functions, and plain numbers above them."""
    counts_axis(axes, words)
    axes.yaxis.set_major_formatter(ticks(words))


def kinds_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    """Entries of the kinds of a table."""
    key = []
    for index, function, topology in _kinds(table):
        row = pd.Series({"chain_function": function, "chain_topology": topology})
        key.append(key_entry(condition(row, KIND, words), linestyle=DASHES.get(topology, "-"),
                             **_style(index, topology)))  # fmt: skip
    return key


def _kinds(table: pd.DataFrame) -> list[tuple[int, str, str]]:
    """Index of the colour, function and topology of each kind of chain."""
    pairs = table[list(KIND)].drop_duplicates().sort_values(list(KIND))
    functions = list(dict.fromkeys(pairs["chain_function"]))
    return [
        (functions.index(function), function, topology)
        for function, topology in pairs.itertuples(index=False, name=None)
    ]


def _style(index: int, topology: str) -> dict[str, Any]:
    return {
        "color": colour(index), "marker": marker(index),
        "markerfacecolor": "white" if topology == "hub" else colour(index),
    }  # fmt: skip
