"""Runs of many campaigns with what is recorded of each, from stores, folders and tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import pandas as pd

from linerate.campaigns.marker import MARKER
from linerate.campaigns.parts import CAMPAIGN_ID
from linerate.campaigns.places import place_of
from linerate.campaigns.store import CampaignStore, store
from linerate.errors import BadInputError, bad_input

Paths = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gathered:
    """Runs, and the campaigns that they are of."""

    runs: pd.DataFrame
    """Checked, with ``campaign_id``."""
    campaigns: pd.DataFrame
    """A row for each, the earliest first: columns of ``linerate store list``."""
    notes: tuple[str, ...] = ()
    """What could not be read, one sentence each."""

    @property
    def boxes(self) -> tuple[str, ...]:
        """Names of the boxes that the runs are of."""
        return tuple(map(str, self.runs["box"].dropna().unique()))

    def of_campaigns(self, column: str) -> pd.Series:
        """Value of each run's campaign in a column of ``campaigns``."""
        known = self.campaigns.set_index(CAMPAIGN_ID)[column]
        return self.runs[CAMPAIGN_ID].map(known)

    def machines(self) -> pd.Series:
        """Machine of each run: its CPU, since a box's name may say its kernel; else its box."""
        return self.of_campaigns("cpu_model").fillna(self.of_campaigns("box"))


def gather(places: Paths, cell: Mapping[str, object]) -> Gathered:
    """Read the runs of these cells from stores, and from folders and tables of campaigns.

    Parameters
    ----------
    places
        Stores, folders of campaigns and tables of runs, in any mixture.
    cell
        Values of columns that name the cells; all where it is empty.

    Raises
    ------
    BadInputError
        No such runs, or no such column.
    """
    parts: list[Gathered] = []
    refused: BadInputError | None = None
    with _stores(places) as stores:
        for one in stores:
            try:
                parts.append(_read(one, cell))
            except BadInputError as error:
                refused = error  # which another of them may have
    if not parts:
        raise refused or bad_input("places", "", why="none is named", allowed="stores, folders of "
                                   "campaigns, tables of runs", do="name one")  # fmt: skip
    campaigns = pd.concat([part.campaigns for part in parts], ignore_index=True)
    return Gathered(
        runs=pd.concat(list(_each_once(parts)), ignore_index=True),
        campaigns=campaigns.drop_duplicates(CAMPAIGN_ID).sort_values("started_at", kind="stable"),
        notes=tuple(remark for part in parts for remark in part.notes),
    )


@contextmanager
def _stores(places: Paths) -> Iterator[list[CampaignStore]]:
    """Take stores as they are, and what is none into one of a moment."""
    found = [place for place in places if place_of(place).has(MARKER)]
    others = [place for place in places if place not in found]
    with TemporaryDirectory(prefix="linerate-") as folder:
        stores = [store(place) for place in found]
        if others:
            stores.append(store(folder))
            stores[-1].add(*others)
        yield stores


def _read(of: CampaignStore, cell: Mapping[str, object]) -> Gathered:
    runs = of.runs(columns=None, **cell)
    listed = of.campaigns()
    campaigns = listed[listed[CAMPAIGN_ID].isin(runs.table[CAMPAIGN_ID])]
    return Gathered(runs=runs.table, notes=runs.notes, campaigns=campaigns)


def _each_once(parts: Sequence[Gathered]) -> Iterator[pd.DataFrame]:
    """Give the runs of each store, but for campaigns that an earlier one had."""
    seen: set[object] = set()
    for part in parts:
        yield part.runs[~part.runs[CAMPAIGN_ID].isin(seen)]
        seen |= set(part.runs[CAMPAIGN_ID])
