"""How a rate went over many campaigns, as Python hands it on."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from linerate.campaigns.parts import CAMPAIGN_ID
from linerate.errors import bad_input, bad_name
from linerate.face.gathered import gather
from linerate.models.trends.between import Between, between
from linerate.models.trends.changes import Trend, trend_of
from linerate.models.trends.samples import samples_of

COMMIT_MIN = 7
"""Characters of a commit that is cut short."""
ORDERS = ("date", "kernel", "commit")


def trend(
    *places: str | os.PathLike[str], cell: Mapping[str, object] | None = None, by: str = "date"
) -> Trend:
    """Find the steps of a cell's rate over campaigns.

    Parameters
    ----------
    *places
        Stores, or folders and tables of several campaigns.
    cell
        Values of columns that name the cell; several cells are taken together, each relative to
        its own median.
    by
        What the level may step with: ``date`` (any campaign), ``kernel`` or ``commit``, in the
        order in which they were first measured.

    Raises
    ------
    BadInputError
        No such order or column, no cell that all campaigns have, or campaigns that do not say what
        they are ordered by.
    """
    if by not in ORDERS:
        raise bad_name("by", by, why="campaigns are not ordered by it", known=ORDERS)
    found = gather(places, cell or {})
    notes = list(found.notes)
    if len(found.boxes) > 1:
        notes.append(f"boxes {', '.join(found.boxes)} are taken as one where their CPU is the "
                     "same; --cell box=NAME names one")  # fmt: skip
    table = found.runs.assign(box=found.machines())
    return trend_of(samples_of(table, _ordered(found.campaigns, by)), notes=tuple(notes))


def bisect(
    *places: str | os.PathLike[str],
    commits: Sequence[str],
    cell: Mapping[str, object] | None = None,
) -> Between:
    """Find which commit to measure next, between an old one and a new one of another speed.

    Parameters
    ----------
    *places
        Stores, or folders and tables of several campaigns.
    commits
        Those that may have changed the rate, the oldest first, as ``git rev-list --reverse`` lists
        them; the first and the last that were measured are the ends. Shorter names of at least 7
        characters do.
    cell
        Values of columns that name the cell, as for ``trend``.

    Raises
    ------
    BadInputError
        No such column, no cell that all campaigns have, or too few campaigns of these commits.
    """
    found = gather(places, cell or {})
    place = _places_of(map(str, found.campaigns["commit"].dropna().unique()), commits)
    named = found.campaigns.assign(place=found.campaigns["commit"].map(place))
    own = named[named["place"].notna()]
    table = found.runs.assign(box=found.machines())
    table = table[table[CAMPAIGN_ID].isin(own[CAMPAIGN_ID])]
    if table.empty:
        raise bad_input("commits", f"{len(commits)} commits", why="no campaign measured any",
                        allowed="commits of campaigns, as linerate store list shows them",
                        do="add campaigns with --commit")  # fmt: skip
    samples = samples_of(table, own.assign(label=own["commit"], step=own["commit"])).table
    places_of = samples["label"].map(place).astype(int)
    return between(commits, list(places_of), np.log(samples["value"].to_numpy(dtype=np.float64)))


def _places_of(found: Iterable[str], commits: Sequence[str]) -> dict[str, int]:
    """Find commits among others, by the whole name or by the beginning that both have.

    >>> _places_of(["2", "abcdef01", "ff"], ["1", "2", "abcdef0"])
    {'2': 1, 'abcdef01': 2}
    """
    whole: dict[str, int] = {}
    alike: dict[str, list[int]] = defaultdict(list)
    for number, other in enumerate(commits):
        whole.setdefault(other, number)
        alike[other[:COMMIT_MIN]].append(number)
    places = {}
    for commit in found:
        numbers = alike[commit[:COMMIT_MIN]] if len(commit) >= COMMIT_MIN else ()
        cut = next((n for n in numbers if _is_cut(commit, commits[n])), None)
        named = [n for n in (whole.get(commit), cut) if n is not None]
        if named:
            places[commit] = min(named)
    return places


def _is_cut(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    return shorter >= COMMIT_MIN and one[:shorter] == other[:shorter]


def _ordered(listed: pd.DataFrame, by: str) -> pd.DataFrame:
    """Order campaigns, with the label of each: its day, its kernel or its commit."""
    if by == "date":
        days = listed["started_at"].str.slice(0, 10)
        return listed.assign(label=days.fillna(listed["campaign"]), step=listed[CAMPAIGN_ID])
    unknown = listed[listed[by].isna()]
    if len(unknown):
        raise bad_input(
            "by", by, why=f"{len(unknown)} campaigns do not say theirs, as "
            f"{unknown['campaign'].iloc[0]}", allowed="date, or campaigns with a box.json and a "
            "revision", do=f"name the others by --cell, or add them with their {by}",
        )  # fmt: skip
    first = listed.groupby(by)["started_at"].transform("min")
    return listed.assign(label=listed[by], step=listed[by], first=first).sort_values(
        ["first", "started_at"], kind="stable"
    )
