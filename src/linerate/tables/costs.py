"""What the cost of a row's packets depends on, which says whose model it is for."""

from __future__ import annotations

import pandas as pd

BY_DATAPATH = {"chain": "program", "swx": "operations"}
"""Of tables without the column ``cost``: they were written before there was one, or by others. All
datapaths that are not named here cost by accesses."""


def cost_of(table: pd.DataFrame) -> pd.Series:
    """Tell for each row what its packets' cost depends on.

    Parameters
    ----------
    table
        Runs or cells, with a column ``datapath``, and ``cost`` if they were measured by linerate.

    Returns
    -------
    Words of ``COSTS``, one for each row.
    """
    usual = table["datapath"].map(BY_DATAPATH).fillna("accesses").astype("string")
    return table["cost"].fillna(usual) if "cost" in table.columns else usual
