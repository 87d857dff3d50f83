"""The answer of a comparison, and what of it to distrust."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from linerate.models.contrast import Summary
from linerate.reports.compared.compared import Compared
from linerate.reports.compared.shifted import shifted
from linerate.reports.compared.words import QUANTITIES
from linerate.reports.language import Words
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import factored, varying
from linerate.reports.page.provenance import judged
from linerate.reports.tables.behind import every_factor

GROUPS_MIN = 5
"""Fewer independent cells give no interval of their median."""


def sentences(compared: Compared, words: Words) -> Iterator[str]:
    """Say which is faster, how sure that is, which cells tell, and what could not be paired."""
    for summary in compared.found.summaries:
        yield from _of_quantity(compared, summary, words)
    yield from shifted(compared, words)
    alone = compared.found.alone["side"].value_counts()
    if len(alone):
        first, second = (int(alone.get(side, 0)) for side in ("first", "second"))
        yield words(
            "Cells that one campaign alone has: {first} {n}, {second} {m}.",
            first=compared.names[0], second=compared.names[1], n=words.number(first, 6),
            m=words.number(second, 6),
        )  # fmt: skip


def _of_quantity(compared: Compared, summary: Summary, words: Words) -> Iterator[str]:
    about = QUANTITIES[summary.quantity]
    if not summary.cells:
        yield words("No cell can differ in {what}: both campaigns carry all that was offered.",
                    what=words(about.what))  # fmt: skip
        return
    yield _together(compared, summary, words)
    yield from _cells_that_tell(compared, summary, words)
    if summary.at_ceiling:
        yield words("Cells that carry all that was offered in both campaigns, and are in no "
                    "median: {n}.", n=words.number(summary.at_ceiling, 6))  # fmt: skip


def _together(compared: Compared, summary: Summary, words: Words) -> str:
    """Say the median over all cells, and whether it can be seen."""
    first, second = compared.names
    about = QUANTITIES[summary.quantity]
    counted = words.plural("{n} cell", "{n} cells", summary.cells, digits=6)
    ratio = words.number(summary.ratio, 4)
    if summary.groups < GROUPS_MIN:
        return words(
            "In {what}, {second} over {first} is {ratio} in the median of {cells}: fewer than 5 "
            "that share no program load, too few for an interval.",
            what=words(about.what), first=first, second=second, ratio=ratio, cells=counted,
        )  # fmt: skip
    ends = ends_text(summary.lower, summary.upper, words)
    if not summary.differs:
        return words(
            "No difference in {what} can be seen: {second} over {first} is {ratio} in the median "
            "of {cells} (90 % interval {ends}).",
            what=words(about.what), first=first, second=second, ratio=ratio, cells=counted,
            ends=ends,
        )  # fmt: skip
    start = words(about.more if summary.ratio > 1.0 else about.less, first=first, second=second,
                  percent=words.number(100.0 * abs(summary.ratio - 1.0), 2))  # fmt: skip
    return words("{start} in the median of {cells}: ratio {ratio}, 90 % interval {ends}.",
                 start=start, cells=counted, ratio=ratio, ends=ends)  # fmt: skip


def _cells_that_tell(compared: Compared, summary: Summary, words: Words) -> Iterator[str]:
    """Name the cell that is farthest off among those whose own interval leaves out 1."""
    if not summary.judged:
        return
    sentence = words("Cells that tell by themselves: {n} of {judged}, where chance alone would "
                     "make {expected}.", n=words.number(summary.telling, 6),
                     judged=words.number(summary.judged, 6),
                 expected=words.number(summary.by_chance, 2))  # fmt: skip
    if not summary.telling:
        yield sentence
        return
    rows = named_ratios(compared, summary.quantity, words)
    rows = rows[rows["telling"]]
    row = rows.iloc[int(np.argmax(np.abs(np.log(rows["ratio"].to_numpy(dtype=np.float64)))))]
    yield sentence + " " + words(
        "Farthest off: {cell}, ratio {ratio} ({ends}).", cell=row["name"],
        ratio=words.number(row["ratio"], 4),
        ends=ends_text(row["lower_ratio"], row["upper_ratio"], words),
    )  # fmt: skip


def ends_text(low: float, high: float, words: Words) -> str:
    """Print the ends of an interval of a ratio, which may lie close together."""
    return words("{low} to {high}", low=words.number(low, 4), high=words.number(high, 4))


def named_ratios(compared: Compared, quantity: str, words: Words) -> pd.DataFrame:
    """Rows of one quantity with ``name`` of their cell and ``telling``, ascending by ratio."""
    every = factored_cells(compared.found.ratios)
    names = varying(every, every_factor())
    rows = every[every["quantity"] == quantity].sort_values("ratio", kind="stable")
    return rows.assign(
        name=[condition(row, names or ["datapath", "program"], words) for _, row in
              rows.iterrows()],
        telling=(rows["lower_ratio"] > 1.0) | (rows["upper_ratio"] < 1.0),
    )  # fmt: skip


def factored_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Give rows of cells every factor in one form."""
    return factored(rows, every_factor())


def doubts(compared: Compared, words: Words) -> Iterator[str]:
    """Say what of a comparison to distrust."""
    for name, section in zip(compared.names, compared.sections, strict=True):
        yield words("Runs of {name}: {judged}; invalid ones are in no figure or table.", name=name,
                    judged=judged(section.runs, words))  # fmt: skip
    few = sum(one.cells - one.judged for one in compared.found.summaries)
    if few:
        yield words("Ratios without an interval of their own, since too few program loads "
                    "were measured: {n}.", n=words.number(few, 6))  # fmt: skip
    yield words("Each campaign was measured at a time of its own: what the machine did otherwise "
                "then is part of every ratio, and no interval knows of it.")  # fmt: skip
