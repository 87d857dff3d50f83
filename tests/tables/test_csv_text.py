"""A CSV file is byte for byte what pandas would write."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.tables import csv_text
from linerate.tables.csv_text import csv_parts

NUMBERS = st.floats() | st.sampled_from([0.0, -0.0, 1e16, 1e-5, 0.1])
TEXTS = st.none() | st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from([*'",;\n\r# ']), max_size=5
)
ROWS = st.lists(
    st.tuples(NUMBERS, st.none() | st.integers(-(2**62), 2**62), TEXTS, st.none() | st.booleans()),
    max_size=8,
)


def table_of(rows):
    kinds = {"mpps": "float64", "packets": "Int64", "name": "string", "kept": "boolean"}
    return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)


@given(ROWS)
def test_each_byte_is_as_pandas_writes_it(rows):
    table = table_of(rows)
    assert b"".join(csv_parts(table)) == table.to_csv(index=False).encode()


def test_rows_come_part_by_part(monkeypatch):
    monkeypatch.setattr(csv_text, "ROWS_AT_ONCE", 2)
    table = table_of([(0.5 * row, row, "a,b", None) for row in range(5)])
    parts = list(csv_parts(table))
    assert len(parts) == 1 + 3
    assert b"".join(parts) == table.to_csv(index=False).encode()


@pytest.mark.parametrize("other", [
    {"name": [""]}, {"name": ["a"], "when": pd.to_datetime(["2026-11-23"])},
    {"any": [object], "name": ["b"]}, {"kind": pd.Categorical(["x"]), "name": ["c"]},
])  # fmt: skip
def test_other_types_are_left_to_pandas(other):
    table = pd.DataFrame(other)
    assert b"".join(csv_parts(table)) == table.to_csv(index=False).encode()
