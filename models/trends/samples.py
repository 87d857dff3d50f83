"""One number for each campaign: the rate of the cells that all of them measured."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import sustains
from linerate.models.runs.selection import believable
from linerate.tables.cell_columns import accesses_once, cell_codes
from linerate.units import line_rate_mpps

RATE = "forwarded_mpps"
OF_ONE, OF_MANY = "Mpps", "ratio"


def samples_of(
    runs: pd.DataFrame, campaigns: pd.DataFrame
) -> tuple[pd.DataFrame, int, str, tuple[str, ...]]:
    """Take the median over program loads of each cell in each campaign; of cells their median.

    Parameters
    ----------
    runs
        Runs with ``campaign_id``; cells are what their columns say, the box left out where that is
        dropped from them.
    campaigns
        A row for each campaign in order: ``campaign_id``, ``campaign``, ``label``, ``step`` (what
        the level may step with).

    Returns
    -------
    ``campaign_id``, ``campaign``, ``label``, ``step``, ``value``, ``lower`` and ``upper`` (smallest
    and largest load of one cell, else of the cells), ``loads``; number of cells; unit of the
    values; notes.

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
            "campaigns", allowed="cells that all campaigns have", do="name one by --cell, or fewer "
            "campaigns",
        )  # fmt: skip
    if levels.shape[1] > shared.shape[1]:
        notes += (f"{levels.shape[1] - shared.shape[1]} cells left out: not every campaign has "
                  "them",)  # fmt: skip
    own = kept[kept["cell"].isin(shared.columns)]
    notes += tuple(_at_ceiling(own))
    one = shared.shape[1] == 1
    middle = shared.median()
    base = float(middle.iloc[0]) if one else 0.0
    of_loads = own.set_index("campaign_id")["log"] - own["cell"].map(middle).to_numpy()
    off = of_loads if one else (shared - middle).stack().droplevel("cell")
    spreads = off.groupby(level="campaign_id")
    found = pd.DataFrame({
        "value": np.exp((shared - middle).median(axis="columns") + base),
        "lower": np.exp(spreads.min() + base), "upper": np.exp(spreads.max() + base),
        "loads": own.groupby("campaign_id")["load"].nunique(),
    }).loc[order]  # fmt: skip
    named = campaigns.set_index("campaign_id").loc[order, ["campaign", "label", "step"]]
    return named.join(found).reset_index(), shared.shape[1], OF_ONE if one else OF_MANY, notes


def _loads(runs: pd.DataFrame) -> pd.Series:
    """Program load of each run; a run that names none is one of its own."""
    own = pd.Series(np.arange(len(runs)).astype(str), index=runs.index)
    if "run_id" not in runs.columns:
        return own
    return runs["run_id"].astype("object").where(runs["run_id"].notna(), own).astype(str)


def _at_ceiling(runs: pd.DataFrame) -> list[str]:
    """Say where rates cannot fall or rise, for they are all that was offered."""
    line_mpps = line_rate_mpps(runs["link_gbps"].fillna(np.inf), runs["frame_bytes"])
    ceiling = np.minimum(line_mpps, runs["offered_mpps"].fillna(np.inf).to_numpy(np.float64))
    held = sustains(runs[RATE], ceiling)
    full = pd.Series(held, index=runs.index).groupby(runs["cell"]).all()
    count = int(full.sum())
    return [f"{count} of {len(full)} cells carry all that was offered: their rates say nothing of "
            "what a packet costs"] if count else []  # fmt: skip
