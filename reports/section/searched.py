"""Reading the table of searches that lies in a campaign's folder."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.messages import note
from linerate.tables.runs import listed, read_table
from linerate.tables.search_table import SEARCH_COLUMNS
from linerate.tables.settings_columns import own_settings, typed_settings

NEEDED = ("search_id", "repetition", "box", "datapath", "program", "goal", "lower_mpps",
          "upper_mpps")  # fmt: skip
"""Without these there is nothing to draw; others that are missing are not known."""


def read_searches(folder: Path) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    """Read ``searches.parquet``, or ``searches.csv``, of a folder.

    Returns
    -------
    The table, None where there is none or it cannot be used; and why not, one sentence.
    """
    for name in ("searches.parquet", "searches.csv"):
        if (folder / name).is_file():
            try:
                return check_searches(read_table(folder / name)), ()
            except BadInputError as error:
                return None, (note("{file} not used: {error}", file=name, error=error.note),)
    return None, ()


def check_searches(table: pd.DataFrame) -> pd.DataFrame:
    """Refuse a table that lacks columns or holds words where numbers belong."""
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        raise bad_input(
            "columns", listed(table), why=note("missing {columns}", columns=", ".join(missing)),
            allowed=", ".join(NEEDED), do=note("write it anew with measure --resume"),
        )  # fmt: skip
    columns = {}
    for column in SEARCH_COLUMNS:
        values = table.get(column.name, pd.Series(pd.NA, index=table.index, dtype="object"))
        if column.kind in ("count", "number"):
            columns[column.name] = _numbers(values, column.name)
        else:
            columns[column.name] = values
    columns |= {name: table[name] for name in own_settings(table)}
    return typed_settings(pd.DataFrame(columns))


def _numbers(values: pd.Series, name: str) -> pd.Series:
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    strange = numbers.isna() & values.notna()
    if bool(strange.any()):
        raise bad_input(
            name, values[strange].iloc[0], why=note("it is not a number"),
            allowed=note("a plain number, or nothing"), do=note("write the table anew"),
        )  # fmt: skip
    return numbers
