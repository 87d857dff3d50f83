"""The answers of the studies beside capacity, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from linerate.reports import tables
from linerate.reports.captions import slopes_of
from linerate.reports.conditions import hook_name
from linerate.reports.sections import Section, path_name, printable
from linerate.reports.studies import FILTER_PROGRAMS
from linerate.reports.tables import LeftOut
from linerate.reports.words import Words


def study_sentences(section: Section, words: Words) -> tuple[str, ...]:
    """Say what the studies of a section found; nothing of those that are not there."""
    there = section.studies
    said: list[str] = []
    if "filters" in there:
        said.extend(_of_filters(section, words))
    if "chains" in there:
        table = tables.chain_rtt_table(section)
        said.extend([] if isinstance(table, LeftOut) else slopes_of_chains(table, words))
    if "searches" in there:
        said.extend(_of_searches(section, words))
    return tuple(said)


def slopes_of_chains(table: pd.DataFrame, words: Words) -> list[str]:
    """Say that these are round trips."""
    return [words("Round trip through a chain, {said}", said=one)
            for one in slopes_of(table, words)]  # fmt: skip


def _of_filters(section: Section, words: Words) -> Iterator[str]:
    table = tables.filters_table(section)
    if isinstance(table, LeftOut):
        return
    named = table.assign(hook=[hook_name(row, words) for _, row in table.iterrows()])
    known = [program for program in FILTER_PROGRAMS if program in set(named["program"])]
    for program in known:
        highest = named[named["program"] == program].groupby("hook")["mpps"].max()
        best, least = highest.idxmax(), highest.idxmin()
        if best == least:
            continue
        yield words(
            "{program}: {best} drops most, {high} Mpps, and {least} least, {low} Mpps.",
            program=printable(program), best=best, high=words.number(highest.max()),
            least=least, low=words.number(highest.min()),
        )  # fmt: skip


def _of_searches(section: Section, words: Words) -> Iterator[str]:
    """Bounds of the best search of each goal on each path."""
    table = tables.searches_table(section)
    if isinstance(table, LeftOut):
        return
    for goal in ("ndr", "pdr", "throughput"):
        rows = table[(table["goal"] == goal) & table["lower_mpps"].notna()]
        for (datapath, program), own in rows.groupby(["datapath", "program"], sort=False):
            best = own.sort_values("lower_mpps").iloc[-1]
            upper = best["upper_mpps"]
            end = (words("no higher load was tried") if pd.isna(upper) else
                   words("below {high} Mpps", high=words.number(upper, 4)))  # fmt: skip
            yield words(
                "Highest {goal} found on {path}: at least {low} Mpps, {end}.",
                goal=goal.upper() if goal != "throughput" else words("throughput (RFC 2544)"),
                path=path_name(str(datapath), str(program), alone=False),
                low=words.number(best["lower_mpps"], 4), end=end,
            )  # fmt: skip
