"""Columns of settings: which datapath has which is said in the table itself."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from linerate.errors import bad_input
from linerate.tables.columns import OF_EVERY_DATAPATH, Column

DTYPES = {"text": "string", "count": "Int64", "number": "float64", "flag": "boolean"}
BEFORE = (
    "socket_hook", "zero_copy", "need_wakeup", "busy_poll", "socket_batch_packets", "sockets",
    "filter_hook", "filter_flavour", "chain_length", "chain_topology", "chain_function",
    "nsh_aware", "metadata_type", "pipeline_port", "pipeline_device", "pipeline_burst_packets",
    "hugepages", "memory_channels", "oversubscribed", "table_entries", "registers",
)  # fmt: skip
"""Of tables that were written before they had the column ``settings``; nothing is added here."""


def own_settings(table: pd.DataFrame) -> tuple[str, ...]:
    """List the columns that hold settings of datapaths, in the order of the table.

    >>> own_settings(pd.DataFrame({"hops": [1, 2], "note": "x", "settings": "hops"}))
    ('hops',)
    """
    if "settings" not in table.columns:
        named = set(BEFORE)
    else:
        names = table["settings"]
        named = {name for text in names.dropna().unique() for name in str(text).split("+")}
        named |= set(BEFORE) if bool(names.isna().any()) else set()
    return tuple(str(name) for name in table.columns if name in named)


def settings_columns(table: pd.DataFrame) -> tuple[str, ...]:
    """List the columns of all that makes a cell of its own and a capacity model does not know."""
    general = tuple(name for name in OF_EVERY_DATAPATH if name in table.columns)
    return (*general, *own_settings(table))


def typed_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Give the columns of datapaths' settings the type that their values have.

    Whoever measured knows what they mean; a table says it by true, numbers or other text.

    Raises
    ------
    BadInputError
        Another word among true and false.
    """
    return table.assign(**{name: _typed(table[name]) for name in own_settings(table)})


def _typed(values: pd.Series) -> pd.Series:
    words = values.map({True: True, False: False, "True": True, "False": False,
                        "true": True, "false": False}, na_action="ignore")  # fmt: skip
    present = values.notna()
    values = values.map(held) if values.dtype == object else values
    is_number = pd.to_numeric(values, errors="coerce").notna().eq(present).all()
    strange = present & words.isna()
    if bool(words.notna().any() and strange.any()) and not is_number:
        row = int(strange.to_numpy().argmax()) + 1
        raise bad_input(
            str(values.name), values[strange].iloc[0], why=f"it is neither (data row {row}), where "
            "other rows are", allowed="true, false or nothing", do="correct it",
        )  # fmt: skip
    if pd.api.types.is_bool_dtype(values) or (
        not pd.api.types.is_numeric_dtype(values) and words.notna().eq(present).all()
        and present.any()
    ):  # fmt: skip
        return words.astype("boolean")
    return pd.to_numeric(values) if is_number and present.any() else values


def held(value: object) -> object:
    """Take a whole number beyond what a float holds as endless, and all else as it is.

    >>> held(10**400), held(-(10**400)), held(3), held("x")
    (inf, -inf, 3, 'x')
    """
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return math.inf if value > 0 else -math.inf
    return value


def with_settings(columns: Sequence[str], settings: Iterable[str]) -> list[str]:
    """Put columns of settings where a written table has them: behind the column ``settings``."""
    here = columns.index("settings") + 1
    return [*columns[:here], *dict.fromkeys(settings), *columns[here:]]


def written(table: pd.DataFrame, columns: Mapping[str, Column]) -> pd.DataFrame:
    """Type the columns of a table that is written; those not known are settings."""
    return table.astype(
        {
            name: DTYPES[columns[name].kind] if name in columns else _dtype(table[name])
            for name in table.columns
        }
    )


def _dtype(values: pd.Series) -> str:
    kinds = {type(value) for value in values.dropna()}
    if kinds == {bool}:
        return "boolean"
    return "string" if str in kinds else "float64" if float in kinds else "Int64"
