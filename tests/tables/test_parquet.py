"""Tables of runs as Parquet: what is spoiled, or more than it looks, is refused."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linerate.errors import BadInputError
from linerate.tables import runs as tables_runs
from linerate.tables.runs import read_runs

from .test_runs import runs


def test_text_that_is_no_utf8_is_refused_before_it_is_asked_for(tmp_path):
    offsets = pa.py_buffer(np.array([0, 2], dtype=np.int32))
    text = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(b"a\x80"))
    table = pa.Table.from_pandas(runs(), preserve_index=False)
    spoiled = table.set_column(table.schema.get_field_index("program"), "program", text)
    pq.write_table(spoiled, tmp_path / "runs.parquet")
    with pytest.raises(BadInputError, match=r"cannot be read as a table .*UTF8"):
        read_runs([tmp_path])


def test_a_column_of_lists_is_refused(tmp_path):
    runs().assign(notes=pd.Series([[1, 2]])).to_parquet(tmp_path / "runs.parquet")
    with pytest.raises(BadInputError, match="each 'notes' is a list"):
        read_runs([tmp_path])


def test_a_small_parquet_file_of_rows_without_end_is_refused_before_they_are_made(
    tmp_path, monkeypatch
):  # fmt: skip
    """Columns of one value all the way down take no bytes in the file, and 8 a row in memory."""
    monkeypatch.setattr(tables_runs, "CELLS_FREE", 0)
    path = tmp_path / "runs.parquet"
    pd.concat([runs()] * 100_000, ignore_index=True).to_parquet(path)
    with pytest.raises(BadInputError, match=rf"100000 rows in {path.stat().st_size} bytes"):
        read_runs([path])


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_truncated_parquet_file_is_refused(tmp_path, share):
    path = tmp_path / "runs.parquet"
    runs().to_parquet(path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(BadInputError, match="cannot be read as a table"):
        read_runs([path])
