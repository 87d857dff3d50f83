"""Filters: what each subsystem of the kernel drops, and what a ping sees meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linerate.reports.conditions import HOOK, LOAD, condition, hook_name, varying
from linerate.reports.figures.dots import (
    dots,
    dots_key,
    named_rows,
    offset,
    rates_axis,
    row_inches,
)
from linerate.reports.sections import printable
from linerate.reports.studies import FILTER_PROGRAMS
from linerate.reports.style import GREY, key_measured, styled
from linerate.reports.words import Words

COLUMNS_MAX = 3
NAMES_INCHES = 1.5
"""Room for the names of the hooks."""
PANEL_INCHES = 1.75
KEY_INCHES = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """What the rows, dots and panels of a figure of filters are."""

    hooks: list[str]
    """Names, in order of the table: by their median."""
    conditions: list[str]
    programs: list[str]


@styled()
def filters_rate(table: pd.DataFrame, words: Words) -> Figure:
    """Draw dropped rates: a panel for each program, a row for each hook, colours by load."""
    named, axis = _named(table, words)
    columns = min(COLUMNS_MAX, len(axis.programs))
    rows = -(-len(axis.programs) // columns)
    figure, grid = _grid(axis, rows, columns)
    for number, axes in enumerate(grid.flat):
        if number >= len(axis.programs):
            axes.set_axis_off()
            continue
        program = axis.programs[number]
        axes.set_title(printable(program))
        _program(axes, named[named["program"] == program], axis, "mpps")
        rates_axis(axes, _ends(table, "mpps"), words)
        axes.tick_params(labelbottom=number + columns >= len(axis.programs))
    figure.supxlabel(words("Dropped (Mpps)"), fontsize="medium")
    _key(figure, axis, words)
    return figure


@styled()
def filters_ping(table: pd.DataFrame, words: Words) -> Figure:
    """Draw round-trip time and lost pings: a row of panels for each program."""
    named, axis = _named(table, words)
    figure, grid = _grid(axis, len(axis.programs), 2)
    for program, (left, right) in zip(axis.programs, grid, strict=True):
        own = named[named["program"] == program]
        _program(left, own, axis, "rtt_us")
        _program(right, own, axis, "ping_loss_percent")
        if table["rtt_us"].notna().any():
            rates_axis(left, _ends(table, "rtt_us"), words)
        if own["rtt_us"].isna().all():
            left.annotate(words("no ping came back"), xy=(0.5, 0.5), xycoords="axes fraction",
                          ha="center", va="center", color=GREY)  # fmt: skip
        right.set_xlim(-3.0, 103.0)
        for axes in (left, right):
            axes.tick_params(labelbottom=program == axis.programs[-1])
        left.set_title(printable(program), loc="left")
    grid[-1, 0].set_xlabel(words("Round-trip time (µs)"))
    grid[-1, 1].set_xlabel(words("Lost pings (%)"))
    _key(figure, axis, words)
    return figure


def _ends(table: pd.DataFrame, name: str) -> pd.Series:
    """Every value that a bar reaches."""
    reached = table[[name, f"min_{name}", f"max_{name}"]].to_numpy(dtype=np.float64).ravel()
    return pd.Series(reached[np.isfinite(reached)])


def _named(table: pd.DataFrame, words: Words) -> tuple[pd.DataFrame, _Axis]:
    """Name the hook and the load of each row."""
    told = varying(table, LOAD, within=("program", *HOOK))
    ordered = table[told].drop_duplicates().sort_values(told) if told else table.head(1)
    loads = list(dict.fromkeys(condition(row, told, words) for _, row in ordered.iterrows()))
    named = table.assign(
        hook=[hook_name(row, words) for _, row in table.iterrows()],
        load=[condition(row, told, words) for _, row in table.iterrows()],
    )
    there = set(table["program"])
    known = [program for program in FILTER_PROGRAMS if program in there]
    return named, _Axis(
        hooks=list(dict.fromkeys(named["hook"])), conditions=loads,
        programs=[*known, *sorted(there - set(known))],
    )  # fmt: skip


def _grid(axis: _Axis, rows: int, columns: int) -> tuple[Figure, np.ndarray]:
    height = len(axis.hooks) * row_inches(len(axis.conditions)) + 0.3
    figure = Figure(figsize=(NAMES_INCHES + columns * PANEL_INCHES + KEY_INCHES,
                             rows * height + 0.5))  # fmt: skip
    return figure, figure.subplots(rows, columns, sharey=True, squeeze=False)


def _program(axes: Axes, rows: pd.DataFrame, axis: _Axis, name: str) -> None:
    for index, load in enumerate(axis.conditions):
        own = rows[rows["load"] == load]
        shift = offset(index, len(axis.conditions))
        dots(axes, own, [axis.hooks.index(hook) + shift for hook in own["hook"]], name, index)
    named_rows(axes, axis.hooks)


def _key(figure: Figure, axis: _Axis, words: Words) -> None:
    measured = words("measured,\nsmallest to largest")
    key = dots_key(axis.conditions) if len(axis.conditions) > 1 else [key_measured(measured)]
    figure.legend(handles=key, alignment="left", loc="outside right upper")
