"""Tables of costs as the model file has them, and of mixes beside the sums of their parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from linerate.measure.datapaths.registry import column_named
from linerate.models.operations import costs, interactions
from linerate.models.operations.runs import USUAL
from linerate.reports.figures.operations.added_times import NO_COSTS
from linerate.reports.figures.operations.packet_times import PLACE
from linerate.reports.language import message
from linerate.reports.language.factors import LOAD, factored
from linerate.reports.language.operations import mix_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

NO_MIXES = LeftOut(why=message("no mix of operations has all of its parts measured alone"))
NO_OPERATIONS = ("filter", "chain")
"""Scopes of the model whose steps are not operations."""


def cost_table(section: Section) -> pd.DataFrame | LeftOut:
    """Time that each kind adds to a packet at each number measured, by the fitted model.

    Returns
    -------
    ``PLACE, working_set_bytes`` and the columns of ``linerate.models.operations.costs``.
    """
    mixes = section.file.mixes if section.file is not None else None
    table = _placed(costs(mixes)) if mixes is not None else pd.DataFrame()
    return table.assign(series="model") if len(table) else NO_COSTS


def mixes_table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured cost of each mix beside its parts', what overlaps, and the kinds' interaction.

    Returns
    -------
    ``PLACE, working_set_bytes, mix`` and the columns of
    ``linerate.models.operations.interactions``.
    """
    mixes = section.file.mixes if section.file is not None else None
    table = _placed(interactions(mixes)) if mixes is not None else pd.DataFrame()
    if table.empty:
        return NO_MIXES
    names = [mix_name(operations) for operations in table["operations"]]
    return table.drop(columns="operations").assign(mix=names, series="model")


def _placed(table: pd.DataFrame) -> pd.DataFrame:
    """Give each row the factors of its place as the tables of runs have them."""
    if table.empty:
        return table
    table = table[~table["datapath"].isin(NO_OPERATIONS)].reset_index(drop=True)
    levels = [_levels(*place) for place in zip(table["datapath"], table["settings"], strict=True)]
    placed = table.drop(columns="settings").join(pd.DataFrame(levels, index=table.index))
    sets = placed["set_bytes"].where(placed["set_bytes"] > 0, np.nan)
    return factored(placed.drop(columns="set_bytes").assign(working_set_bytes=sets), PLACE)


def _levels(datapath: str, settings: Mapping[str, str]) -> dict[str, object]:
    """Levels of a place's factors: the usual ones where the model has no setting."""
    usual = {name: level for name, level in USUAL.items() if datapath == "swx" or name in LOAD}
    levels = {name: _level(name, text) for name, text in (usual | dict(settings)).items()}
    return levels | ({"lcores": levels["queues"]} if datapath == "swx" else {})


def _level(name: str, text: str) -> object:
    kind = column_named(name).kind
    if kind == "flag":
        return text == "true"
    return float(text) if kind in ("count", "number") else text
