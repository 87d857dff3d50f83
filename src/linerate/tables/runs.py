"""Reading the tidy table of runs, and refusing what cannot be one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from linerate.errors import BadInputError, bad_input
from linerate.files.kinds import TABLES, no_table
from linerate.tables.cell_columns import accesses_once
from linerate.tables.columns import COLUMNS, KNOWN, Column
from linerate.tables.csv_file import read_csv
from linerate.tables.settings_columns import held, typed_settings

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

RUNS_BYTES_MAX = 2 * 1024**3
"""A larger file is refused before it is read."""
CELLS_FREE = 2**25
"""Cells of a Parquet file that any may have: a quarter of a gibibyte as numbers."""
CELLS_PER_BYTE = 16
"""Of a larger one: columns of one value all the way down, as settings are, take few bytes."""
COUNT_END = 2**63
"""No count is as large: tables keep them as signed numbers of 64 bits."""
LISTED_MAX = 8
"""Columns that an error lists of a table; measured ones have eighty."""
NAMES = ("campaign", "source", "box", "datapath", "program")
"""Columns of names, which are printed wherever their runs are named."""
ENDLESS = ("link_gbps", "offered_mpps")
"""Columns that may be inf: no link, and a flood."""
NAME_CHARACTERS_MAX = 200


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet file as it stands, or say why it is none.

    Raises
    ------
    BadInputError
        Missing, too large, empty, or not of the form its suffix says.
    """
    refused = no_table(path)
    if refused is not None:
        raise refused
    if path.is_dir():
        path = next(path / name for name in TABLES if (path / name).is_file())
    if path.stat().st_size > RUNS_BYTES_MAX:
        raise bad_input(
            "path", path, why=f"it has {path.stat().st_size} bytes",
            allowed=f"at most {RUNS_BYTES_MAX}", do="split it",
        )  # fmt: skip
    try:
        table = _read_parquet(path) if path.suffix.lower() == ".parquet" else read_csv(path)
    except Exception as error:  # pyarrow's and pandas' own, of any kind where a file is spoiled
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise bad_input(
            "path", path, why=f"it cannot be read as a table ({why})",
            allowed="CSV with a header line, or Parquet", do="write it anew from its source",
        ) from error  # fmt: skip
    if table.empty:
        raise bad_input(
            "path", path, why="it has no rows", allowed="at least one row under the header",
            do="measure or import first",
        )  # fmt: skip
    return table


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow as pa  # not needed for CSV, and slow to load
    import pyarrow.parquet as pq

    with path.open("rb") as file:  # pyarrow takes no name that is not UTF-8
        _check_cells(pq.read_metadata(file), path.stat().st_size)
        table = pq.read_table(file)
    nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
    if nested:
        raise ValueError(f"each {nested[0]!r} is a list or a record: spell it as text")
    table.validate(full=True)  # texts, too: pandas would decode them when they are asked for
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _check_cells(found: FileMetaData, size_bytes: int) -> None:
    """Refuse a file of some bytes that says it has rows without end: equal ones take none."""
    cells = found.num_rows * max(found.num_columns, 1)
    if cells > max(CELLS_FREE, CELLS_PER_BYTE * size_bytes):
        raise ValueError(f"it says that it has {found.num_rows} rows in {size_bytes} bytes")


def read_runs(paths: Iterable[Path]) -> pd.DataFrame:
    """Read and check one or more tables of runs; rows keep the order of the files.

    Returns
    -------
    Table with at least the required columns, numbers as numbers. Unknown columns are kept.

    Raises
    ------
    BadInputError
        Any file that is not a table of runs.
    """
    tables = []
    for path in paths:
        table = read_table(path)
        try:
            tables.append(check_runs(table))
        except BadInputError as error:
            raise BadInputError(f"{path}: {error}") from error
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]


def check_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Refuse a table that lacks columns or holds impossible values."""
    missing = [c.name for c in COLUMNS if c.required and c.name not in table.columns]
    if missing:
        raise bad_input(
            "columns", listed(table), why=f"missing {', '.join(missing)}",
            allowed=", ".join(c.name for c in COLUMNS if c.required),
            do="add them (data/README.md says what each means)",
        )  # fmt: skip
    return check_columns(table)


def listed(table: pd.DataFrame) -> str:
    """Name a table's first columns, and say how many more there are."""
    more = len(table.columns) - LISTED_MAX
    names = ", ".join(map(str, table.columns[:LISTED_MAX]))
    return f"{names} and {more} more" if more > 0 else names


def text_of(runs: pd.DataFrame, name: str) -> pd.Series[str]:
    """Read what a column says of each run; empty where it says nothing, or is not there.

    A column that says nothing of any run has the type of numbers, which no text fills.
    """
    if name not in runs.columns:
        return pd.Series("", index=runs.index)
    return runs[name].astype("object").where(runs[name].notna(), "").astype(str)


def check_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Check the known columns that a table has; used for runs and for cells to predict."""
    checked = table.copy()
    for name in checked.columns:
        if name in KNOWN:
            checked[name] = _check_column(checked[name], KNOWN[name])
    return typed_settings(accesses_once(checked))


def _check_column(values: pd.Series, column: Column) -> pd.Series:
    if not column.nullable and bool(values.isna().any()):
        raise _bad_value(column, "", values.isna(), "a value is missing", "a value in each row")
    if column.kind == "text":
        return _text(values, column)
    return _flags(values, column) if column.kind == "flag" else _numbers(values, column)


def _numbers(values: pd.Series, column: Column) -> pd.Series:
    numbers = pd.to_numeric(values.map(held) if values.dtype == object else values,
                            errors="coerce")  # fmt: skip
    not_numbers = numbers.isna() & values.notna()
    if bool(not_numbers.any()):
        got = values[not_numbers].iloc[0]
        raise _bad_value(column, got, not_numbers, "it is not a number", "a plain number, no "
                         "thousands separator")  # fmt: skip
    found = numbers.to_numpy(dtype=np.float64, na_value=np.nan)  # nan keeps to every rule
    rules = (
        (found < column.minimum, "it is too small", _range(column)),
        (np.isposinf(found) & (column.name not in ENDLESS), "it is endless", "a finite number"),
        ((found > column.maximum) & (found < np.inf), "it is too large", _range(column)),
        ((column.kind == "count") & (found >= COUNT_END) & (found < np.inf), "it is too large",
         f"below {COUNT_END}"),
        ((column.kind == "count") & np.isfinite(found) & (np.trunc(found) != found),
         "it is a fraction", "a count"),
    )  # fmt: skip
    for wrong, why, allowed in rules:
        if wrong.any():
            raise _bad_value(column, numbers[wrong].iloc[0], wrong, why, allowed)
    return numbers


def _range(column: Column) -> str:
    if np.isinf(column.maximum):
        return f">= {column.minimum:g}"
    endless = ", or inf" if column.name in ENDLESS else ""
    return f"{column.minimum:g} to {column.maximum:g}{endless}"


def _text(values: pd.Series, column: Column) -> pd.Series:
    if not column.words and column.name not in NAMES:
        return values
    distinct = [str(value) for value in values.dropna().unique()]
    strange = [value for value in distinct if column.words and value not in column.words]
    if strange:
        raise _bad_value(column, strange[0], values == strange[0], f"no such {column.name}",
                         ", ".join(column.words))  # fmt: skip
    unprintable = [
        value for value in distinct if column.name in NAMES
        and (not value.isprintable() or len(value) > NAME_CHARACTERS_MAX)
    ]  # fmt: skip
    if unprintable:
        raise _bad_value(
            column, ascii(unprintable[0][:LISTED_MAX]) + "...", values == unprintable[0],
            "it is not a name that can be printed",
            f"at most {NAME_CHARACTERS_MAX} printable characters",
        )  # fmt: skip
    return values


def _flags(values: pd.Series, column: Column) -> pd.Series:
    spoken = values.map({True: True, False: False, "True": True, "False": False,
                         "true": True, "false": False})  # fmt: skip
    strange = spoken.isna() & values.notna()
    if bool(strange.any()):
        raise _bad_value(
            column, values[strange].iloc[0], strange, "it is neither", "true, false or nothing"
        )
    return spoken.astype("boolean")


def _bad_value(
    column: Column, got: object, where: ArrayLike, why: str, allowed: str
) -> BadInputError:
    rows = np.asarray(where)
    row = f" (data row {int(np.flatnonzero(rows)[0]) + 1})" if rows.size > 1 else ""
    return bad_input(
        column.name, got, why=why + row, allowed=allowed,
        do=f"correct it; {column.name} is: {column.meaning}",
    )  # fmt: skip
