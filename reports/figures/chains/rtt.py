"""Round-trip time over the length of a chain: colours by function, open marks for stars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import of_measured
from linerate.reports.figures.chains.kinds import (
    KEYS,
    KIND,
    LENGTH,
    OTHERS,
    chain_rows,
    draw_kinds,
    kinds_key,
    lengths_axis,
)
from linerate.reports.figures.figure import FigureKind
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, conditions
from linerate.reports.language.factors import CHAIN, LOAD, varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LENGTHS_MIN = 3
"""Through two lengths any line fits."""
NO_PING = LeftOut(why=message("no ping ran through a chain"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Mean round-trip time over length, and each kind's line from the first function on."""
    rows = chain_rows(section)
    if "rtt_mean_us" not in rows.columns:
        return NO_PING
    rows = rows.assign(rtt_us=rows["rtt_mean_us"].astype("float64"))
    rows = rows_where(rows, rows["rtt_us"].notna())
    if rows.empty:
        return NO_PING
    # Without a function no process is woken: the first one adds more than each that follows.
    kinds = rows_where(rows, rows["chain_length"] >= 1).groupby(list(KEYS), dropna=False, sort=True)
    lines = [
        line for _, of_kind in kinds
        if of_kind["chain_length"].nunique() >= LENGTHS_MIN
        and (line := _line(of_kind, section)) is not None
    ]  # fmt: skip
    return stacked(
        measured=_means(rows),
        line=pd.concat(lines, ignore_index=True) if lines else rows.head(0),
    )


def _means(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean over the runs of each cell, and its standard error; nan of a single run."""
    groups = runs.groupby([*KEYS, "chain_length"], dropna=False, sort=True)["rtt_us"]
    found = groups.agg(["mean", "sem", "size"]).reset_index()
    return found.rename(
        columns={"mean": "rtt_us", "sem": "standard_error_us", "size": "runs"}
    ).astype({"rtt_us": "float64", "standard_error_us": "float64"})


def _line(runs: pd.DataFrame, section: Section) -> pd.DataFrame | None:
    """Read the line of one kind of chain off the fitted model; None where it has none."""
    trips = section.file.round_trips if section.file is not None else None
    cell = {str(name): value for name, value in runs.iloc[0].items()}
    line = trips.line_of(cell) if trips is not None else None
    if line is None:
        return None
    ends = [runs["chain_length"].min(), runs["chain_length"].max()]
    kind = runs[list(KEYS)].iloc[[0, 0]].reset_index(drop=True)
    return kind.assign(
        chain_length=ends, rtt_us=line.mean.rtt_us(ends),
        rtt_per_function_us=line.mean.function_us, rtt_of_none_us=line.mean.fixed_us,
    )  # fmt: skip


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw round-trip time over length."""
    found = conditions(table, varying(table, OTHERS, within=KIND), words)
    grid = panels_for(len(found), ax)
    grid.titles([name for name, _ in found])
    for axes, (_, rows) in zip(grid.axes.flat, found, strict=False):
        draw_kinds(axes, _with_ends(rows), table, "rtt_us")
        lengths_axis(axes, table, words)
        axes.set_ylim(0.0, 1.05 * float(_with_ends(table)["max_rtt_us"].max()))
    key = kinds_key(table, words)
    if (table["series"] == "line").any():
        key.append(key_entry(words("least squares")))
    grid.label(words(LENGTH), words("Round-trip time (µs)"))
    grid.key(key)
    return grid


def _with_ends(rows: pd.DataFrame) -> pd.DataFrame:
    """Reach of the bars: a standard error to either side."""
    error = rows["standard_error_us"].fillna(0.0)
    return rows.assign(min_rtt_us=rows["rtt_us"] - error, max_rtt_us=rows["rtt_us"] + error)


def slopes_of(table: pd.DataFrame, words: Words) -> Iterator[str]:
    """Say what each service function adds to a round trip, one sentence for each kind of chain."""
    lines = table[table["series"] == "line"].drop_duplicates([*CHAIN, *LOAD])
    if lines.empty:
        return
    varied = [*CHAIN[:2], *varying(lines, (*CHAIN[2:], *LOAD), within=CHAIN[:2])]
    for _, row in lines.iterrows():
        yield words(
            "{chain}: {none} µs + {slope} µs per function from the first on.",
            chain=condition(row, varied, words), none=words.number(row["rtt_of_none_us"]),
            slope=words.number(row["rtt_per_function_us"]),
        )  # fmt: skip


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are, and the slopes."""
    if (of_measured(table)["runs"] > 1).any():
        yield words("Marks: mean over the runs of each run's mean, bars: its standard error; those "
                    "of one length lie side by side.")  # fmt: skip
    else:
        yield words("Marks: means of single runs.")
    if (table["series"] == "line").any():
        yield words("Lines: the fitted model, by least squares of relative errors.")
        yield from slopes_of(table, words)


FIGURE = FigureKind(
    name="chain-rtt", title=message("Round-trip time against the length of the chain"),
    studies=("chains",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
