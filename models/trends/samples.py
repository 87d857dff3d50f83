"""One number for each campaign: the rate of the cells that all of them measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import sustains
from linerate.models.arrays import Array
from linerate.models.runs.selection import believable
from linerate.models.trends.pooled import pooled
from linerate.tables.cell_columns import accesses_once, cell_codes
from linerate.tables.columns import CELL
from linerate.tables.settings_columns import own_settings
from linerate.units import line_rate_mpps

RATE = "forwarded_mpps"
OF_ONE, OF_MANY = "Mpps", "ratio"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """A series of campaigns, and the cells that it is of."""

    table: pd.DataFrame
    """A row for each campaign in order: ``campaign_id``, ``campaign``, ``label``, ``step`` (the
    level may step where this differs from the row before), ``value`` > 0, ``lower`` and ``upper``
    (smallest and largest load of one cell, else of the cells), ``loads``."""
    logs: Array
    """Natural logarithm of each cell's rate over its own median, shape (campaigns, cells)."""
    cells: tuple[str, ...]
    """Name of each cell, as ``--cell`` takes it: the columns in which they differ."""
    unit: str
    """Of the values: Mpps of one cell, or a ratio to the median of several."""
    notes: tuple[str, ...] = ()


def samples_of(runs: pd.DataFrame, campaigns: pd.DataFrame) -> Samples:
    """Take the median over program loads of each cell in each campaign; cells are pooled.

    Cells that carry all that was offered, in every run, are left out where others do not.

    Parameters
    ----------
    runs
        Runs with ``campaign_id``; cells are what their columns say, the box left out where that is
        dropped from them.
    campaigns
        A row for each campaign in order: ``campaign_id``, ``campaign``, ``label``, ``step`` (what
        the level may step with).

    Raises
    ------
    BadInputError
        No cell was measured in all campaigns.
    """
    kept, notes = believable(accesses_once(runs))
    kept = kept[kept[RATE] > 0.0]
    kept = kept.assign(cell=cell_codes(kept), load=_loads(kept), log=np.log(kept[RATE]))
    levels = kept.groupby(["campaign_id", "cell"])["log"].median().unstack("cell")
    order = [one for one in campaigns["campaign_id"] if one in levels.index]
    shared = levels.loc[order].dropna(axis="columns")
    if shared.empty:
        raise bad_input(
            "cell", f"{levels.shape[1]} cells", why=f"none was measured in all {len(order)} "
            "campaigns", allowed="cells that all campaigns have", do="name cells, or campaigns of "
            "one plan: --cell campaign=NAME, once for each",
        )  # fmt: skip
    if levels.shape[1] > shared.shape[1]:
        notes += (f"{levels.shape[1] - shared.shape[1]} cells left out: not every campaign has "
                  "them",)  # fmt: skip
    shared, remarks = _below_ceiling(shared, kept)
    own = kept[kept["cell"].isin(shared.columns)]
    one = shared.shape[1] == 1
    middle = shared.median()
    base = float(middle.iloc[0]) if one else 0.0
    logs = (shared - middle).to_numpy(dtype=np.float64)
    of_loads = own.set_index("campaign_id")["log"] - own["cell"].map(middle).to_numpy()
    off = of_loads if one else (shared - middle).stack().droplevel("cell")
    spreads = off.groupby(level="campaign_id")
    found = pd.DataFrame({
        "value": np.exp(pooled(logs) + base),
        "lower": np.exp(spreads.min().loc[order] + base),
        "upper": np.exp(spreads.max().loc[order] + base),
        "loads": own.groupby("campaign_id")["load"].nunique().loc[order],
    }, index=pd.Index(order, name="campaign_id"))  # fmt: skip
    named = campaigns.set_index("campaign_id").loc[order, ["campaign", "label", "step"]]
    return Samples(
        table=named.join(found).reset_index(), logs=logs, notes=(*notes, *remarks),
        cells=_names(own, shared.columns), unit=OF_ONE if one else OF_MANY,
    )  # fmt: skip


def _loads(runs: pd.DataFrame) -> pd.Series:
    """Program load of each run; a run that names none is one of its own."""
    own = pd.Series(np.arange(len(runs)).astype(str), index=runs.index)
    if "run_id" not in runs.columns:
        return own
    return runs["run_id"].astype("object").where(runs["run_id"].notna(), own).astype(str)


def _below_ceiling(shared: pd.DataFrame, runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out cells whose rates cannot fall or rise, for they are all that was offered."""
    line_mpps = line_rate_mpps(runs["link_gbps"].fillna(np.inf), runs["frame_bytes"])
    ceiling = np.minimum(line_mpps, runs["offered_mpps"].fillna(np.inf).to_numpy(np.float64))
    held = pd.Series(sustains(runs[RATE], ceiling), index=runs.index)
    full = held.groupby(runs["cell"]).all().reindex(shared.columns)
    count = int(full.sum())
    if not count:
        return shared, []
    remarks = (f"{count} of {len(full)} cells carry all that was offered: their rates say nothing "
               "of what a packet costs")  # fmt: skip
    if count == len(full):
        return shared, [remarks]
    return shared.loc[:, ~full.to_numpy(dtype=np.bool_)], [f"{remarks}; left out"]


def _names(runs: pd.DataFrame, codes: pd.Index) -> tuple[str, ...]:
    """Name cells by columns in which they differ, as few as tell them apart, the first of them."""
    columns = [*(name for name in CELL if name in runs.columns), *own_settings(runs)]
    first = runs.drop_duplicates("cell").set_index("cell").reindex(codes)[columns]
    differing = [name for name in columns if first[name].nunique(dropna=False) > 1]
    for name in differing[::-1]:
        fewer = [other for other in differing if other != name]
        if fewer and not first.duplicated(fewer).any():
            differing = fewer
    return tuple(
        ",".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                 for name, value in zip(differing, row, strict=True))
        for row in first[differing].itertuples(index=False, name=None)
    )  # fmt: skip
