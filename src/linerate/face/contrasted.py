"""Two kernels, or two boxes, over all campaigns that measured them: what a packet costs more."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from linerate.campaigns.parts import CAMPAIGN_ID
from linerate.errors import BadInputError, bad_input, bad_name
from linerate.face.gathered import Gathered, gather
from linerate.reports.compared.answer import doubts, sentences
from linerate.reports.compared.compared import Compared, bare, compared_sections
from linerate.reports.language import words_in

FACTORS = ("kernel", "box")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contrasted:
    """Two values of a factor, the second seen from the first."""

    by: str
    """``kernel`` or ``box``."""
    compared: Compared
    """Ratio of each cell, and the constants of a packet's cost in both."""
    campaigns: tuple[int, int]
    """How many each side is made of."""
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> tuple[str, ...]:
        """Which is faster, how sure that is, and which constants changed: a sentence each."""
        return tuple(sentences(self.compared, words_in("en")))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What of it to distrust."""
        return tuple(doubts(self.compared, words_in("en")))

    def __str__(self) -> str:
        return "\n".join(self.answer)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        found = self.compared.found
        return {
            "by": self.by, "first": self.compared.names[0], "second": self.compared.names[1],
            "campaigns": self.campaigns, "answer": self.answer,
            "summaries": [asdict(one) for one in found.summaries],
            "constants": [{**asdict(one), "differs": one.differs} for one in self.compared.shifts],
            "cells": found.ratios.to_dict("records"), "alone": found.alone.to_dict("records"),
            "doubts": self.doubts, "notes": self.notes,
        }  # fmt: skip


def contrast(
    *places: str | os.PathLike[str],
    by: str,
    sides: Sequence[str] = (),
    cell: Mapping[str, object] | None = None,
) -> Contrasted:
    """Compare two kernels, or two boxes, over all campaigns that measured the same cells on them.

    Cells are paired by all that a campaign asks for. The capacity model is fitted to both sides,
    and the differences of its constants say what a packet costs more: in its base path, in each
    memory access, or where queues contend.

    Parameters
    ----------
    *places
        Stores, folders of campaigns or tables of runs.
    by
        ``kernel`` (that of a campaign's box.json) or ``box`` (a run's own).
    sides
        Two kernels or boxes, the one to compare with first; may be left out where there are two:
        then the one that was measured first.
    cell
        Values of columns that name the cells; all if left out.

    Raises
    ------
    BadInputError
        Not two of them, several machines for kernels, or no cell that both have.
    """
    if by not in FACTORS:
        raise bad_name("by", by, why="runs are not compared by it", known=FACTORS)
    found = gather(places, cell or {})
    level = found.of_campaigns("kernel") if by == "kernel" else found.runs["box"]
    names = _sides(by, level, found, tuple(sides))
    kept = level.isin(names)
    notes = [*found.notes, *_unnamed(by, level, found)]
    if by == "kernel":
        notes += _one_machine(found, kept)
        found = replace(found, runs=found.runs.assign(box=found.machines()))
    runs = _loads_apart(found.runs)
    first, second = (bare(_with(runs, level == name)) for name in names)
    counts = [int(found.runs[CAMPAIGN_ID][level == name].nunique()) for name in names]
    compared = compared_sections(names, first, second)
    return Contrasted(by=by, compared=compared, campaigns=(counts[0], counts[1]),
                      notes=(*notes, *compared.found.notes))  # fmt: skip


def _with(runs: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    return runs[chosen.to_numpy()].reset_index(drop=True)


def _loads_apart(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep program loads of several campaigns apart: each counts its own from one."""
    if "run_id" not in runs.columns:
        return runs
    own = runs[CAMPAIGN_ID].astype("string") + "/" + runs["run_id"].astype("string")
    return runs.assign(run_id=own)


def _sides(
    by: str, level: pd.Series, found: Gathered, asked: tuple[str, ...]
) -> tuple[str, str]:  # fmt: skip
    """Name both sides: as asked, or the two that there are, the earlier one first."""
    begun = found.of_campaigns("started_at").astype("string").groupby(level).min()
    known = [str(name) for name in begun.sort_values(kind="stable").index]
    for name in asked:
        if name not in known:
            raise bad_name(by, name, why="none of these runs is of it", known=known or ("none",))
    chosen = asked or tuple(known)
    if len(set(chosen)) == len(chosen) == 2:
        return chosen[0], chosen[1]
    raise _not_two(by, asked, known)


def _not_two(by: str, asked: tuple[str, ...], known: Sequence[str]) -> BadInputError:
    if asked:
        return bad_input(
            by, " ".join(asked), why="two different ones are compared", allowed=", ".join(known),
            do="name two, the one to compare with first",
        )  # fmt: skip
    if not known:
        return bad_input(by, "none", why="these campaigns do not say theirs", allowed="campaigns "
                         "with a box.json", do="name the folders of campaigns, or add these to a "
                         "store")  # fmt: skip
    many = len(known) > 2
    return bad_input(by, ", ".join(known), why="these runs are of more than two" if many else
                     "all of these runs are of it", allowed="two",
                     do="name two of them, the one to compare with first" if many else
                     "name campaigns of another, too")  # fmt: skip


def _unnamed(by: str, level: pd.Series, found: Gathered) -> list[str]:
    count = int(found.runs[CAMPAIGN_ID][level.isna()].nunique())
    return [f"{count} campaigns left out: they do not say their {by}"] if count else []


def _one_machine(found: Gathered, kept: pd.Series) -> list[str]:
    """Refuse kernels of different machines, and say which boxes are taken as one."""
    machines = sorted(map(str, found.machines()[kept].dropna().unique()))
    if len(machines) > 1:
        raise bad_input("box", ", ".join(machines), why="a difference between machines would pass "
                        "for one between kernels", allowed="runs of one machine",
                        do="name its boxes by --cell box=NAME")  # fmt: skip
    boxes = list(map(str, found.runs["box"][kept].dropna().unique()))
    if len(boxes) < 2:
        return []
    return [f"boxes {', '.join(boxes)} are taken as one: their CPU is the same"]
