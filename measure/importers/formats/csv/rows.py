"""A CSV file of somebody else's runs, read as its mapping says."""

from __future__ import annotations

import csv
import re

from linerate.errors import BadInputError, bad_input
from linerate.measure.datapaths.registry import column_named
from linerate.measure.importers.defects import Defect
from linerate.measure.importers.formats.csv.table import CsvColumn, CsvTable, units_of
from linerate.measure.importers.importer import Log, LogFormat, LogRead, Row

_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
FLAGS = {"true": True, "false": False}


def _read(log: Log[CsvTable]) -> LogRead:
    """Read the rows, in the table's columns and units, and name what may be read in two ways.

    Raises
    ------
    BadInputError
        No header, a column that is not there, a row of another length, or a value that cannot be
        one of its column; the message names row and value.
    """
    source, table = log.name, log.table
    lines = list(csv.reader(log.text.splitlines(), delimiter=table.delimiter))
    lines = [line for line in lines if line]
    if len(lines) < 2:
        raise bad_input("path", source, why="it has no row under a header",
                        allowed="a header and rows", do="check file and delimiter")  # fmt: skip
    header, rows = [name.strip() for name in lines[0]], lines[1:]
    for name, column in table.columns.items():
        if header.count(column.source) != 1:
            raise bad_input(
                f"csv.columns.{name}.from", column.source, why=f"{source} has "
                f"{header.count(column.source)} columns of that name",
                allowed=", ".join(header), do="name one of these",
            )  # fmt: skip
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise bad_input(
                f"{source}: row", number, why=f"it has {len(row)} of {len(header)} fields",
                allowed="rows as long as the header", do="was it cut short? mend or fetch it anew",
            )  # fmt: skip
    read = [_row(dict(zip(header, row, strict=True)), table, f"{source}: row {number}")
            for number, row in enumerate(rows, start=1)]  # fmt: skip
    return LogRead(rows=read, defects=_ambiguous(header, rows, table))


def _row(cells: dict[str, str], table: CsvTable, where: str) -> Row:
    found = {}
    for name, column in table.columns.items():
        try:
            found[name] = _value(cells[column.source].strip(), name, column, table)
        except BadInputError as error:
            raise BadInputError(f"{where}: {error}") from error
    return found


def _value(text: str, name: str, column: CsvColumn, table: CsvTable) -> object:
    kind = column_named(name).kind
    if column.values:
        if text not in column.values:
            raise bad_input(column.source, text, why="the mapping does not say what it is",
                            allowed=", ".join(column.values), do="add it to values")  # fmt: skip
        return column.values[text]
    if not text:
        return None
    if kind == "text":
        return text
    if kind == "flag":
        if text.lower() not in FLAGS:
            raise bad_input(column.source, text, why="it is neither true nor false",
                            allowed="true, false", do="list its words in values")  # fmt: skip
        return FLAGS[text.lower()]
    return number_of(text, column.source, table) * units_of(name).get(column.unit, 1.0) + (
        column.offset
    )


def number_of(text: str, field: str, table: CsvTable) -> float:
    """Read a number in the separators of a table, and in no others."""
    thousands, decimal = re.escape(table.thousands), re.escape(table.decimal)
    grouped = rf"\d{{1,3}}(?:{thousands}\d{{3}})+|" if table.thousands else ""
    form = rf"[+-]?(?:{grouped}\d+)?(?:{decimal}\d+)?(?:[eE][+-]?\d+)?"
    if not re.fullmatch(form, text) or not any(sign.isdigit() for sign in text):
        raise bad_input(
            field, text, why="it is not a number in the separators that the mapping names",
            allowed=f"decimal {table.decimal!r}, thousands {table.thousands!r}",
            do="correct csv.decimal and csv.thousands, or the value",
        )  # fmt: skip
    plain = text.replace(table.thousands, "") if table.thousands else text
    return float(plain.replace(table.decimal, "."))


def _ambiguous(header: list[str], rows: list[list[str]], table: CsvTable) -> list[Defect]:
    """Name numeric columns all of whose values could be thousands with a point."""
    if table.decimal != "." or table.thousands:
        return []
    found = []
    for name, column in table.columns.items():
        at = header.index(column.source)
        values = [row[at].strip() for row in rows if row[at].strip()]
        if (
            column_named(name).kind in ("count", "number")
            and values
            and all(_AMBIGUOUS.fullmatch(value) for value in values)
        ):
            detail = f"column {column.source}: {values[0]}"
            found.append(Defect(name="separators_ambiguous", detail=detail))
    return found


IMPORTER = LogFormat(table=CsvTable, read=_read)
