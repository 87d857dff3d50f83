"""Runs of one campaign as a Parquet file, and many such files as one table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as arrow_tables
import pyarrow.parquet as parquet

from linerate.campaigns.manifest import Manifest
from linerate.campaigns.places import Place
from linerate.tables.columns import COLUMNS, KNOWN
from linerate.tables.settings_columns import written

OF_KIND = {"text": "string", "count": "int64", "number": "double", "flag": "bool"}
"""Type of a column in a part, by its kind."""
CAMPAIGN_ID = "campaign_id"
"""Column that every run of a store has: the campaign's id in its manifest."""


def canonical(runs: pd.DataFrame) -> pa.Table:
    """Give the columns of runs the types that they have in every part.

    Parameters
    ----------
    runs
        Checked runs. Columns that data/README.md does not name keep their own type.
    """
    texts = {
        name: runs[name].astype("string") for name in _own(runs.columns)
        if runs[name].dtype == object or runs[name].dtype.kind in "mM"
    }  # fmt: skip
    table = pa.Table.from_pandas(written(runs.assign(**texts), KNOWN), preserve_index=False)
    return table.cast(pa.schema([
        (one.name, _type(OF_KIND[KNOWN[one.name].kind] if one.name in KNOWN else str(one.type)))
        for one in table.schema
    ]))  # fmt: skip


def rows_hash(table: pa.Table) -> str:
    """Hash names and types of columns, and all values, row by row."""
    rows = pd.util.hash_pandas_object(table.to_pandas(), index=False).to_numpy()
    columns = [f"{one.name}: {one.type}" for one in table.schema]
    return hashlib.sha256("\n".join(columns).encode() + rows.tobytes()).hexdigest()


def part_of(table: pa.Table, manifest: Manifest) -> tuple[Manifest, bytes]:
    """Write runs as Parquet.

    Parameters
    ----------
    table
        Runs of one campaign and box, of canonical types.
    manifest
        What describes them so far.

    Returns
    -------
    The manifest with hash and size, and the content of the file.
    """
    sink = pa.BufferOutputStream()
    parquet.write_table(
        table.replace_schema_metadata(None), sink, compression="lz4", write_page_checksum=True
    )
    content = sink.getvalue().to_pybytes()
    types = {one.name: str(one.type) for one in table.schema}
    return replace(
        manifest, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content),
        columns={name: types[name] for name in _own(table.column_names)},
    ), content  # fmt: skip


def _own(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name not in KNOWN]


def table_of(
    place: Place, manifests: Sequence[Manifest], beside: Sequence[Manifest] = ()
) -> arrow_tables.Dataset:
    """Make one table of the parts of these campaigns; none is opened before it is read.

    Parameters
    ----------
    place
        Where the store is.
    manifests
        Of the campaigns.
    beside
        Others whose columns it has, too, empty.

    Returns
    -------
    A table with every column of every part, and ``campaign_id``. What asks
    for one box, campaign or id opens the files of these alone.
    """
    checked = arrow_tables.ParquetFragmentScanOptions(page_checksum_verification=True)
    form = arrow_tables.ParquetFileFormat(default_fragment_scan_options=checked)
    fragments = [
        form.make_fragment(place.path(one.part), place.system, partition_expression=_known(one))
        for one in manifests
    ]
    columns = _schema([*manifests, *beside])
    return arrow_tables.FileSystemDataset(fragments, columns, form, place.system)


def _known(manifest: Manifest) -> arrow_tables.Expression:
    """Say what all rows of a part have alike, so that it is left closed where that is not asked."""
    alike = {"box": manifest.box, "campaign": manifest.campaign, CAMPAIGN_ID: manifest.id}
    if len(manifest.datapaths) == 1:
        alike["datapath"] = manifest.datapaths[0]
    if len(manifest.programs) == 1:
        alike["program"] = manifest.programs[0]
    return reduce(lambda one, other: one & other,
                  (arrow_tables.field(name) == value for name, value in alike.items()))  # fmt: skip


def _schema(manifests: Iterable[Manifest]) -> pa.Schema:
    """List the columns that data/README.md names, then those of the settings of any campaign."""
    more: dict[str, set[str]] = {}
    for one in manifests:
        for name, kind in one.columns.items():
            more.setdefault(name, set()).add(kind)
    known = {CAMPAIGN_ID: "string", **{one.name: OF_KIND[one.kind] for one in COLUMNS}}
    # A manifest may be somebody else's, or of before a column was known: it changes no known one.
    columns = known | {name: _common(kinds) for name, kinds in more.items() if name not in known}
    return pa.schema([(name, _type(kind)) for name, kind in columns.items()])


def _common(kinds: set[str]) -> str:
    """Choose a type that holds the values of all.

    >>> _common({"int64"}), _common({"int64", "double"}), _common({"bool", "int64"})
    ('int64', 'double', 'string')
    """
    if len(kinds) == 1:
        return next(iter(kinds))
    return "double" if kinds == {"int64", "double"} else "string"


def _type(kind: str) -> pa.DataType:
    types: Mapping[str, pa.DataType] = {
        "string": pa.string(), "int64": pa.int64(), "double": pa.float64(), "bool": pa.bool_(),
    }  # fmt: skip
    return types.get(kind, pa.string())
