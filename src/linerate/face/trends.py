"""How a rate went over many campaigns, as Python hands it on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from tempfile import TemporaryDirectory

import pandas as pd

from linerate.campaigns.marker import MARKER
from linerate.campaigns.parts import CAMPAIGN_ID
from linerate.campaigns.places import place_of
from linerate.campaigns.store import CampaignStore, store
from linerate.errors import bad_input, bad_name
from linerate.models.trends.changes import Trend, trend_of
from linerate.models.trends.samples import samples_of

ORDERS = ("date", "kernel", "commit")


def trend(
    *places: str | os.PathLike[str], cell: Mapping[str, object] | None = None, by: str = "date"
) -> Trend:
    """Find the steps of a cell's rate over campaigns.

    Parameters
    ----------
    *places
        One store, or folders and tables of several campaigns.
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
    if len(places) == 1 and place_of(places[0]).has(MARKER):
        return _trend(store(places[0]), cell or {}, by)
    with TemporaryDirectory(prefix="linerate-") as folder:
        gathered = store(folder)
        gathered.add(*places)
        return _trend(gathered, cell or {}, by)


def _trend(of: CampaignStore, cell: Mapping[str, object], by: str) -> Trend:
    runs = of.runs(columns=None, **cell)
    listed = of.campaigns()
    listed = listed[listed[CAMPAIGN_ID].isin(runs.table[CAMPAIGN_ID])]
    notes = list(runs.notes)
    if len(runs.boxes) > 1:
        notes.append(f"boxes {', '.join(runs.boxes)} are taken as one where their CPU is the same; "
                     "--cell box=NAME names one")  # fmt: skip
    # A box's name may say its kernel, and change with it.
    machine = dict(zip(listed[CAMPAIGN_ID], listed["cpu_model"].fillna(listed["box"]), strict=True))
    table = runs.table.assign(box=runs.table[CAMPAIGN_ID].map(machine))
    samples, cells, unit, more = samples_of(table, _ordered(listed, by))
    return trend_of(samples, cells=cells, unit=unit, notes=(*notes, *more))


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
