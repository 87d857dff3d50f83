"""Rows of hooks, and a dot for each load, that the figures of filters share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.dots import named_rows, offset, rows_inches
from linerate.reports.drawing.keys import dots_key, key_measured
from linerate.reports.drawing.marks import dots
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import look
from linerate.reports.figures.labels import MEASURED
from linerate.reports.language import Words
from linerate.reports.language.conditions import condition, hook_name
from linerate.reports.language.factors import HOOK, LOAD, varying
from linerate.reports.language.names import natural
from linerate.reports.section.rows import FILTER_PROGRAMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What the rows, dots and panels of a figure of filters are."""

    names: list[str]
    """In order of the table: by their median."""
    loads: list[str]
    programs: list[str]

    def panels(self, rows: int, columns: int, ax: Axes | None) -> Panels:
        """Lay out panels with a row for each hook."""
        height = rows_inches(self.names, len(self.loads))
        return panels(Layout(rows=rows, columns=columns, row_inches=height, share_x=False), ax)

    def draw(self, axes: Axes, rows: pd.DataFrame, name: str) -> None:
        """Draw a dot for each hook and load."""
        for index, load in enumerate(self.loads):
            own = rows[rows["load"] == load]
            shift = offset(index, len(self.loads))
            dots(
                axes,
                own,
                [self.names.index(hook) + shift for hook in own["hook"]],
                name,
                look(index),
            )
        named_rows(axes, self.names)

    def key(self, grid: Panels, words: Words) -> None:
        """Name the loads where there are several."""
        several = len(self.loads) > 1
        grid.key(dots_key(self.loads) if several else [key_measured(words(MEASURED))])


def hooks_of(table: pd.DataFrame, words: Words) -> tuple[pd.DataFrame, Hooks]:
    """Name the hook and the load of each row."""
    varied = varying(table, LOAD, within=("program", *HOOK))
    ordered = table[varied].drop_duplicates().sort_values(varied) if varied else table.head(1)
    loads = list(dict.fromkeys(condition(row, varied, words) for _, row in ordered.iterrows()))
    named = table.assign(
        hook=[hook_name(row, words) for _, row in table.iterrows()],
        load=[condition(row, varied, words) for _, row in table.iterrows()],
    )
    there = set(table["program"])
    known = [program for program in FILTER_PROGRAMS if program in there]
    return named, Hooks(
        names=list(dict.fromkeys(named["hook"])), loads=loads,
        programs=[*known, *sorted(there - set(known), key=natural)],
    )  # fmt: skip


def ends_of(table: pd.DataFrame, name: str) -> pd.Series:
    """Every value that a bar reaches."""
    reached = table[[name, f"min_{name}", f"max_{name}"]].to_numpy(dtype=np.float64).ravel()
    return pd.Series(reached[np.isfinite(reached)])
