"""Options of ``linerate predict`` that name operations and settings, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence

from linerate.errors import bad_input
from linerate.tables.columns import OF_EVERY_DATAPATH, Column

SPEC = ".spec"


def settings_of(settings: Sequence[str]) -> dict[str, object]:
    """Read ``NAME=VALUE`` pairs.

    Raises
    ------
    BadInputError
        Not of that form, or no such setting.
    """
    if not settings:
        return {}
    # Finding the datapaths takes longer than a prediction.
    from linerate.measure.datapaths.registry import column_named, settings_of_columns

    askable = (*OF_EVERY_DATAPATH[1:], *settings_of_columns(), "flows")
    columns: dict[str, object] = {}
    for asked in settings:
        name, _, value = asked.partition("=")
        if name not in askable or not value:
            raise bad_input(
                "setting", asked, why="not a setting and its value",
                allowed="NAME=VALUE of " + ", ".join(askable), do="correct it",
            )  # fmt: skip
        columns[name] = _value(column_named(name), value)
    return columns


def _value(column: Column, value: str) -> object:
    if column.kind == "flag":
        return value == "true"
    try:
        return float(value) if column.kind in ("count", "number") else value
    except ValueError as error:
        raise bad_input("setting", f"{column.name}={value}", why="not a number", allowed="a number",
                        do="correct it") from error  # fmt: skip


def operations_of(operations: str) -> dict[str, int] | str:
    """Read ``KIND=TIMES`` pairs; the path of a ``.spec`` stays a path.

    Raises
    ------
    BadInputError
        Neither.

    Examples
    --------
    >>> operations_of("table_exact=5, add=10")
    {'table_exact': 5, 'add': 10}
    """
    if operations.endswith(SPEC):
        return operations
    found = {}
    for pair in filter(None, operations.replace(" ", "").split(",")):
        kind, _, times = pair.partition("=")
        if not times.isdecimal() or not kind:
            raise bad_input("operations", pair, why="not a kind and its number",
                            allowed="KIND=TIMES,... or a .spec file", do="correct it")  # fmt: skip
        found[kind] = int(times)
    return found
