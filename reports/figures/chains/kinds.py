"""Kinds of chains: their rows, marks and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.drawing.axes import counts_axis, ticks
from linerate.reports.drawing.colours import path_colours
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.marks import bars, beside, line, of
from linerate.reports.drawing.style import marker
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import CHAIN, LOAD, factored, varying
from linerate.reports.section import Section
from linerate.reports.tables.spreads import rows_where

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LENGTH = message("Service functions in the chain")
KEYS = ("datapath", "program", *CHAIN, *LOAD)
KIND = CHAIN
OTHERS = LOAD
DASHES = {"hub": (0, (3, 1.5))}
ROOM = 0.75
"""Functions left free at either end, for marks that lie side by side."""


def chain_rows(section: Section) -> pd.DataFrame:
    """Believed runs through chains."""
    rows, _ = believable(section.rows("chains"))
    return factored(rows, [*KEYS, "chain_length"])


def draw_kinds(
    axes: Axes, rows: pd.DataFrame, table: pd.DataFrame, name: str, *, join: bool = False
) -> None:
    """Draw each kind of chain with its fitted line, or with its marks joined."""
    kinds = _kinds(table)
    for place, kind in enumerate(kinds):
        own = _of_kind(rows, kind)
        style, aside = _style(place, kind), beside(axes, place, len(kinds))
        line(axes, of(own, "measured" if join else "line"), "chain_length", name,
             color=style["color"], linewidth=0.6 if join else 1.2,
             linestyle=DASHES.get(kind["chain_topology"], "-"),
             transform=aside if join else axes.transData)  # fmt: skip
        bars(axes, of(own, "measured"), "chain_length", name, **style,
             transform=aside)  # fmt: skip


def lengths_axis(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    """Whole numbers of functions, and plain numbers above them."""
    lengths = table["chain_length"]
    axes.set_xlim(float(lengths.min()) - ROOM, float(lengths.max()) + ROOM)
    counts_axis(axes, words)
    axes.yaxis.set_major_formatter(ticks(words))


def kinds_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    """Entries of the kinds of a table."""
    key = []
    kinds = _kinds(table)
    named = varying(table, KIND)
    for place, kind in enumerate(kinds):
        style = _style(place, kind)
        key.append(key_entry(condition(kind, named, words) or condition(kind, KIND[:1], words),
                             linestyle=DASHES.get(kind["chain_topology"], "-"),
                             **style))  # fmt: skip
    return key


def _kinds(table: pd.DataFrame) -> list[pd.Series]:
    """Each kind of chain that a table has."""
    kinds = table[list(KIND)].drop_duplicates().sort_values(list(KIND))
    return [kind for _, kind in kinds.iterrows()]


def _of_kind(rows: pd.DataFrame, kind: pd.Series) -> pd.DataFrame:
    """Rows of one kind; a factor that is not known equals itself."""
    same = [(rows[name] == kind[name]) | (rows[name].isna() & pd.isna(kind[name])) for name in KIND]
    return rows_where(rows, np.logical_and.reduce(same))


def _style(place: int, kind: pd.Series) -> dict[str, Any]:
    """Colour by function, mark by kind; open where each hop passes a hub."""
    own = path_colours([kind["chain_function"]])[0]
    hub = kind["chain_topology"] == "hub"
    return {"color": own, "marker": marker(place), "markerfacecolor": "white" if hub else own}
