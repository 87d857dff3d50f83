"""Time of a packet over its operations: a panel for each family, its lines named at their ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.operations import MixPredictor
from linerate.reports.drawing import direct
from linerate.reports.drawing.axes import counts_axis, ticks
from linerate.reports.drawing.keys import dots_key, key_entry, key_measured
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import colour, mark, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import MEASURED, MODEL
from linerate.reports.figures.operations.packet_times import MIXED
from linerate.reports.figures.pipelines.cells import (
    FACTORS,
    NO_PIPELINE,
    of_most,
    serial_rows,
    with_kinds,
)
from linerate.reports.language import Words, message
from linerate.reports.language.operations import short_kind
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.grids import crossed
from linerate.reports.tables.spreads import rows_where, spreads_of, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEFUL, AGAIN = message("learners, meters, selectors"), message("hashes, recirculation")
HEADERS = message("headers")
FAMILIES = {
    "register": message("registers"), "table": message("tables"),
    **dict.fromkeys(("learner", "meter", "selector"), STATEFUL),
    **dict.fromkeys(("hash", "recirculate"), AGAIN),
    **dict.fromkeys(("checksum", "emit", "extract", "header", "lookahead", "validate"), HEADERS),
}  # fmt: skip
"""By the first word of a kind; the others calculate, move and jump."""
ARITHMETIC = message("arithmetic")
KEYS = [*FACTORS, "family", "kind", "times"]
COLUMNS = 2
"""Panels side by side: names of lines stand between them."""
TICKS_MAX = 5
POINTS = 16
"""Counts of the model's line."""
PACKET_NS = message("Time of one packet on a core (ns)")


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Time of a packet over how many operations it has, at the place with most kinds.

    Returns
    -------
    ``FACTORS, family, kind, times`` and ``packet_ns`` (lcores over rate) with its ends, in the
    series ``measured`` and, of what the costs of operations are fitted on, ``model``; each kind
    has the packet of none for 0. Mixes of equal counts are a kind of their own. Where a family has
    kinds of several counts, those of one count alone are left out: they have no slope to show.
    """
    rows = of_most(serial_rows(section), "operations")
    if rows.empty:
        return NO_PIPELINE
    rows = with_kinds(rows)
    counted = rows_where(rows, ~rows["kind"].isin(["", MIXED]))
    none = rows_where(rows, rows["kind"] == "")
    if counted.empty:
        return LeftOut(why=message("no pipeline was given operations"))
    origins = none.drop(columns="kind").merge(
        counted[["program", "kind"]].drop_duplicates(), on="program"
    )
    both = pd.concat([counted, origins], ignore_index=True)
    both = both.assign(family=[family_of(kind) for kind in both["kind"]],
                       packet_ns=1e3 * both["queues"] / both["mpps"])  # fmt: skip
    measured = spreads_of(rows_where(both, ~_of_one_count(both)), KEYS, ["packet_ns"])
    return stacked(measured=measured, model=_modelled(section, measured))


def _of_one_count(rows: pd.DataFrame) -> pd.Series:
    """Find kinds measured at one count, in families that have others; 0 is not a count."""
    counts = rows["times"].where(rows["times"] > 0.0).groupby(rows["kind"]).transform("nunique")
    return (counts < 2) & (counts.groupby(rows["family"]).transform("max") > 1)


def _modelled(section: Section, measured: pd.DataFrame) -> pd.DataFrame:
    """Read the time of each kind's packets off the fitted costs, up to its largest count."""
    mixes = section.file.mixes if section.file is not None else None
    if mixes is None:
        return measured.head(0)
    most = measured.sort_values("times").groupby("kind", as_index=False).last()
    steps = crossed(most.drop(columns="times"), "share", np.linspace(0.0, 1.0, POINTS))
    steps = steps.merge(most[["kind", "times"]], on="kind")
    steps = steps.assign(times=(steps["share"] * steps["times"]).round())
    lines = steps.drop_duplicates(["kind", "times"]).assign(datapath="swx")
    lines = lines.assign(operations=[
        json.dumps({name: int(times) for name in kind.split(" + ") if times})
        for kind, times in zip(lines["kind"], lines["times"], strict=True)
    ])  # fmt: skip
    parts = [part for _, own in lines.groupby("kind") if len(part := _priced(own, mixes))]
    return pd.concat(parts, ignore_index=True) if parts else measured.head(0)


def _priced(lines: pd.DataFrame, mixes: MixPredictor) -> pd.DataFrame:
    """Add the time of a packet; no rows where a kind was not fitted."""
    try:
        mpps = mixes.predict(lines).predicted_mpps
    except BadInputError:
        return lines.head(0)
    return lines.assign(packet_ns=1e3 * lines["queues"] / mpps)[[*KEYS, "packet_ns"]]


def family_of(kind: str) -> str:
    """Name what a kind is one of.

    >>> family_of("register_read_32"), family_of("add"), family_of("emit + extract")
    ('registers', 'arithmetic', 'headers')
    """
    return FAMILIES.get(kind.replace(" ", "_").split("_")[0], ARITHMETIC)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the time of a packet over its operations: a panel for each family of kinds."""
    there = set(table["family"])
    families = [family for family in dict.fromkeys((*FAMILIES.values(), ARITHMETIC))
                if family in there]  # fmt: skip
    grid = panels_for(len(families), ax, share_x=False, share_y=False, columns=COLUMNS)
    grid.titles([words(family) for family in families])
    for axes, family in zip(grid.axes.flat, families, strict=False):
        _family(axes, table[table["family"] == family], words)
    grid.label(words("Operations per packet"), words(PACKET_NS))
    if (table["series"] == "model").any():
        grid.key([key_measured(words(MEASURED)), key_entry(words(MODEL))])
    return grid


def _family(axes: Axes, rows: pd.DataFrame, words: Words) -> None:
    """Draw the kinds of a panel, each named at the end of its line."""
    last = of(rows, "measured").sort_values("times").groupby("kind").last()
    kinds = list(last["packet_ns"].sort_values(ascending=False).index)
    for index, kind in enumerate(kinds):
        own = rows[rows["kind"] == kind]
        line(axes, of(own, "model"), "times", "packet_ns", color=colour(index), linewidth=0.8)
        bars(axes, of(own, "measured"), "times", "packet_ns", color=colour(index),
             marker=mark(index))  # fmt: skip
    counts_axis(axes, most=TICKS_MAX)
    axes.yaxis.set_major_formatter(ticks(words))
    axes.set_ylim(bottom=0.0)
    ends = last["packet_ns"].to_dict()
    if direct.fit(len(kinds)):
        direct.end_labels(axes, [
            direct.End(y=float(ends[kind]), name=short_kind(kind),
                       colour=colour(index))
            for index, kind in enumerate(kinds)
        ])  # fmt: skip
    else:
        axes.legend(handles=dots_key([short_kind(kind) for kind in kinds]), loc="upper left",
                    bbox_to_anchor=(1.0, 1.02), borderpad=0.0, labelspacing=0.2)  # fmt: skip


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are."""
    yield words("Lcores over throughput, from zero.")
    yield words("Where a panel has kinds of several counts, those of one count are left out.")
    yield from marks_of(table, words)
    if "model" in set(table["series"]):
        yield words("Lines: the fitted costs of operations.")


FIGURE = FigureKind(
    name="pipeline-operations", title=message("Time of a packet by the operations of its pipeline"),
    studies=("pipelines",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
