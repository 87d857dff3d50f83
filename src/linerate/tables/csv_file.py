"""Reading a CSV file, and saying what else a file is that is none."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pandas as pd

from linerate.tables.columns import KNOWN

LINE_BYTES_MAX = 64 * 1024
"""How long the header or the last row may be."""
SNIFFED_BYTES = 8
FOREIGN = {
    b"\x1f\x8b": "compressed by gzip: unpack it first",
    b"PK": "an archive or a spreadsheet: unpack it, or save the sheet as CSV",
    b"BZh": "compressed by bzip2: unpack it first",
    b"\xfd7zXZ": "compressed by xz: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first",
    b"PAR1": "Parquet: name it .parquet",
    b"\xff\xfe": "UTF-16: save it as UTF-8",
    b"\xfe\xff": "UTF-16: save it as UTF-8",
}
"""How files begin that are taken for CSV, and what they are."""
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def read_csv(path: Path) -> pd.DataFrame:
    """Read a file of UTF-8, commas and a header line; names that look like numbers stay names.

    Raises
    ------
    ValueError
        It is no such file: what it is instead, as far as its beginning and its end tell.
    """
    header, last = _ends(path)
    _check_lines(header)
    _check_fields(_fields(header), _fields(last))
    text = {name: str for name, column in KNOWN.items() if column.kind == "text"}
    return pd.read_csv(path, dtype=text, **_exact_floats())  # type: ignore[call-overload,no-any-return]


def _ends(path: Path) -> tuple[str, str]:
    """First and last line; pandas would take half a number of a row cut short for a number."""
    with path.open("rb") as file:
        for begin, kind in FOREIGN.items():
            if file.read(SNIFFED_BYTES).startswith(begin):
                raise ValueError(f"it is {kind}")
            file.seek(0)
        header = file.readline(LINE_BYTES_MAX)
        start = file.tell()
        file.seek(max(start, path.stat().st_size - LINE_BYTES_MAX))
        last = file.read().rstrip().rpartition(b"\n")[2]
    return header.decode("utf-8-sig"), last.decode()


def _check_lines(header: str) -> None:
    if "\r" in header.rstrip("\r\n"):
        raise ValueError("its lines end in CR alone: end them with LF")
    for separator, called in SEPARATORS.items():
        if separator in header and "," not in header:
            raise ValueError(f"its fields are divided by {called}: divide them by commas")


def _check_fields(names: list[str], last: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"the column {twice[0]!r} is there twice: leave one out")
    if last and len(last) < len(names):
        raise ValueError(f"its last row has {len(last)} fields of {len(names)}: it was cut short")
    if len(last) > len(names):
        raise ValueError(f"its last row has {len(last)} fields, the header {len(names)}")


def _fields(line: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")]), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _exact_floats() -> dict[str, str]:
    """Option that makes floats read back exactly; from pandas 3.1 on they do, and it warns."""
    version = tuple(int(number) for number in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}
