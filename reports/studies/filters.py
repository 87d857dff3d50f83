"""Filters, as Sampaio (2017) compares them: a row for each program and subsystem."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from linerate.reports.figures.filters.cells import PROGRAM_ORDER, filters_table
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, hook_name
from linerate.reports.language.factors import HOOK, LOAD, varying
from linerate.reports.language.names import printable
from linerate.reports.section import Section
from linerate.reports.studies.study import (
    Column,
    Grid,
    StudyKind,
    Summary,
    grid_of,
    memory_text,
    number_text,
)
from linerate.reports.tables import LeftOut


def filters_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print every statistic of each filter."""
    varied = varying(table, LOAD, within=("program", *HOOK))
    place = table["program"].map(PROGRAM_ORDER).fillna(len(PROGRAM_ORDER))
    rows = table.assign(place=place).sort_values("place", kind="stable")
    columns: list[Column] = [
        (words("program"), lambda row: printable(row["program"])),
        (words("subsystem"), lambda row: hook_name(row, words)),
        (words("load"), lambda row: condition(row, varied, words)),
        (words("dropped"), lambda row: number_text(row["dropped_packets"], words)),
        (words("duration (s)"), lambda row: number_text(row["duration_s"], words)),
        (words("Mpps"), lambda row: number_text(row["mpps"], words)),
        (words("peak (Mpps)"), lambda row: number_text(row["peak_mpps"], words)),
        (words("steady (Mpps)"), lambda row: number_text(row["steady_mpps"], words)),
        (words("CPU (%)"), lambda row: number_text(row["busy_percent"], words)),
        (words("RTT (µs)"), lambda row: number_text(row["rtt_us"], words)),
        (words("lost pings (%)"), lambda row: number_text(row["ping_loss_percent"], words)),
        (words("memory"), lambda row: memory_text(row["memory_bytes"], words)),
    ]
    return grid_of(rows, columns)


def answer(section: Section, words: Words) -> Iterator[str]:
    """Say which subsystem drops most and least, of each program."""
    table = filters_table(section)
    if isinstance(table, LeftOut):
        return
    named = table.assign(hook=[hook_name(row, words) for _, row in table.iterrows()])
    there = set(named["program"])
    for program in (name for name in PROGRAM_ORDER if name in there):
        highest = named[named["program"] == program].groupby("hook")["mpps"].max()
        best, least = highest.idxmax(), highest.idxmin()
        if best == least:
            continue
        yield words(
            "{program}: {best} drops most, {high} Mpps, and {least} least, {low} Mpps.",
            program=printable(program), best=best, high=words.number(highest.max()),
            least=least, low=words.number(highest.min()),
        )  # fmt: skip


STUDY = StudyKind(
    name="filters", answer=answer, summaries=(
        Summary(
            name="filters", title=message("What each subsystem dropped"), statistic=message(
                "Medians of the repetitions. CPU: busy share of the queues' cores; memory: what "
                "program and tables hold in the kernel."
            ), table=filters_table, grid=filters_grid,
        ),
    ),
)  # fmt: skip
