"""Reading the tidy table of runs, and refusing what cannot be one."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from linerate.columns import COLUMNS, DATAPATHS, KNOWN, Column
from linerate.errors import BadInputError, bad_input

RUNS_BYTES_MAX = 2 * 1024**3
"""A larger file is refused before it is read."""
LAST_ROW_BYTES_MAX = 64 * 1024
"""How far from its end a CSV file is searched for the start of its last row."""


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet file as it stands, or say why it is none.

    Raises
    ------
    BadInputError
        Missing, too large, empty, or not of the form its suffix says.
    """
    if path.is_dir():
        path = path / "runs.parquet"
    if not path.is_file():
        raise bad_input(
            "path", path, why="there is no such file", allowed="a .csv or .parquet file, or a "
            "campaign folder with runs.parquet", do="check the path",
        )  # fmt: skip
    if path.stat().st_size > RUNS_BYTES_MAX:
        raise bad_input(
            "path", path, why=f"it has {path.stat().st_size} bytes",
            allowed=f"at most {RUNS_BYTES_MAX}", do="split it",
        )  # fmt: skip
    try:
        table = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    except (ValueError, OSError, UnicodeDecodeError) as error:  # pyarrow's and pandas' own
        raise bad_input(
            "path", path, why=f"it cannot be read as a table ({str(error).splitlines()[0]})",
            allowed="CSV with a header line, or Parquet", do="write it anew from its source",
        ) from error  # fmt: skip
    if table.empty:
        raise bad_input(
            "path", path, why="it has no rows", allowed="at least one row under the header",
            do="measure or import first",
        )  # fmt: skip
    return table


def _read_csv(path: Path) -> pd.DataFrame:
    _refuse_cut_short(path)
    text = {name: str for name, column in KNOWN.items() if column.kind == "text"}
    return pd.read_csv(path, dtype=text, **_exact_floats())  # type: ignore[call-overload,no-any-return]


def _refuse_cut_short(path: Path) -> None:
    """Refuse a file whose last row ends early: pandas would take half a number for a number."""
    with path.open("rb") as file:
        header = file.readline()
        start = file.tell()
        file.seek(max(start, path.stat().st_size - LAST_ROW_BYTES_MAX))
        last = file.read().rstrip().rpartition(b"\n")[2]
    expected, got = (len(next(csv.reader([line.decode()]), [])) for line in (header, last))
    if last and got < expected:
        raise ValueError(f"its last row has {got} fields of {expected}: it was cut short")


def _exact_floats() -> dict[str, str]:
    """Option that makes floats read back exactly; from pandas 3.1 on they do, and it warns."""
    version = tuple(int(number) for number in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def read_runs(paths: Iterable[Path]) -> pd.DataFrame:
    """Read and check one or more tables of runs; rows keep the order of the files.

    Returns
    -------
    Table with at least the required columns, numbers as numbers. Unknown columns are kept.

    Raises
    ------
    BadInputError
        Any file that is no table of runs.
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
            "columns", ", ".join(map(str, table.columns)), why=f"missing {', '.join(missing)}",
            allowed=", ".join(c.name for c in COLUMNS if c.required),
            do="add them (data/README.md says what each means)",
        )  # fmt: skip
    return check_columns(table)


def check_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Check the known columns that a table has; used for runs and for cells to predict."""
    checked = table.copy()
    for name in checked.columns:
        if name in KNOWN:
            checked[name] = _check_column(checked[name], KNOWN[name])
    if "datapath" in checked.columns:
        _check_datapaths(checked["datapath"])
    return checked


def _check_column(values: pd.Series, column: Column) -> pd.Series:
    if not column.nullable and bool(values.isna().any()):
        raise _bad_value(column, "", values.isna(), "a value is missing", "a value in each row")
    if column.kind == "text":
        return values
    if column.kind == "flag":
        return _flags(values, column)
    numbers = pd.to_numeric(values, errors="coerce")
    not_numbers = numbers.isna() & values.notna()
    if bool(not_numbers.any()):
        got = values[not_numbers].iloc[0]
        raise _bad_value(column, got, not_numbers, "it is not a number", "a plain number, no "
                         "thousands separator")  # fmt: skip
    low = numbers < column.minimum
    if bool(low.any()):
        raise _bad_value(
            column, numbers[low].iloc[0], low, "it is too small", f">= {column.minimum:g}"
        )
    endless = numbers.isin([np.inf, -np.inf]) & (column.name not in ("link_gbps", "offered_mpps"))
    if bool(endless.any()):
        raise _bad_value(column, "inf", endless, "it is endless", "a finite number")
    fraction = (column.kind == "count") & numbers.notna() & (numbers % 1 != 0)
    if bool(fraction.any()):
        raise _bad_value(column, numbers[fraction].iloc[0], fraction, "it is a fraction", "a count")
    return numbers


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
    column: Column, got: object, where: pd.Series, why: str, allowed: str
) -> BadInputError:
    row = int(np.flatnonzero(where.to_numpy())[0]) + 1
    return bad_input(
        column.name, got, why=f"{why} (data row {row})", allowed=allowed,
        do=f"correct the row; {column.name} is: {column.meaning}",
    )  # fmt: skip


def _check_datapaths(values: pd.Series) -> None:
    unknown = sorted(set(values.unique()) - set(DATAPATHS))
    if unknown:
        raise bad_input(
            "datapath", unknown[0], why="no such datapath", allowed=", ".join(DATAPATHS),
            do="use one of these names",
        )  # fmt: skip
