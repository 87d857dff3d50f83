"""Runs of a store by the values of their columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as arrow_tables

from linerate.campaigns.listing import Broken, Listing, first_line, notes_of, whole_parts
from linerate.campaigns.manifest import Manifest
from linerate.campaigns.parts import CAMPAIGN_ID, table_of
from linerate.campaigns.places import Place
from linerate.errors import bad_input, bad_name
from linerate.tables.columns import COLUMNS
from linerate.tables.measured import Runs, levels_of
from linerate.tables.runs import check_runs

OF_CAMPAIGNS = {CAMPAIGN_ID: "id", "kernel": "kernel", "commit": "commit"}
"""What runs are chosen by that is not a column of theirs -> field of the manifest."""


def read_parts(
    place: Place, listing: Listing, columns: Sequence[str] | None, values: Mapping[str, object]
) -> Runs:
    """Read the runs of these campaigns whose columns have these values.

    Raises
    ------
    BadInputError
        No such column, a value of another type, or no such runs.
    """
    wanted = {name: levels_of(value) for name, value in values.items()}
    chosen = [one for one in listing.manifests if _may_have(one, wanted)]
    whole, broken = whole_parts(place, chosen)
    table, spoiled = scan(place, whole, columns, wanted)
    notes = tuple(notes_of((*listing.broken, *broken, *spoiled)))
    if table.empty:
        raise _none(wanted, listing, notes)
    return Runs(table=check_runs(table), notes=notes)


def scan(
    place: Place, manifests: Sequence[Manifest], columns: Sequence[str] | None,
    wanted: Mapping[str, Sequence[object]],
) -> tuple[pd.DataFrame, tuple[Broken, ...]]:  # fmt: skip
    """Read, and once more without what is spoiled where that stops it."""
    try:
        return _scan(place, manifests, columns, wanted), ()
    except (pa.ArrowException, UnicodeDecodeError, OSError):
        broken = broken_parts(place, manifests)
        if not broken:
            raise
    paths = {one.path for one in broken}
    rest = [one for one in manifests if one.part not in paths]
    return _scan(place, rest, columns, wanted), broken


def broken_parts(place: Place, manifests: Sequence[Manifest]) -> tuple[Broken, ...]:
    """Name the files that cannot be read: not as they were written, or no runs at all."""
    spoiled = tuple(spoiled_parts(place, manifests))
    paths = {one.path for one in spoiled}
    whole = [one for one in manifests if one.part not in paths]
    return *spoiled, *_odd_parts(place, whole, manifests)


def _odd_parts(
    place: Place, whole: Iterable[Manifest], beside: Sequence[Manifest]
) -> Iterator[Broken]:
    """Name files whose hash is right, and whose columns are not those of runs."""
    for one in whole:
        try:
            table_of(place, [one], beside).to_table().validate(full=True)
        except (pa.ArrowException, OSError) as error:
            why = f"its columns are not those of runs ({first_line(error)})"
            yield Broken(path=one.part, campaign=one.campaign, why=why)


def spoiled_parts(place: Place, manifests: Iterable[Manifest]) -> Iterator[Broken]:
    """Name the files that are not as they were written."""
    for one in manifests:
        try:
            content = place.read(one.part)
        except OSError as error:
            why = f"it cannot be read ({error.strerror or error})"
        else:
            if hashlib.sha256(content).hexdigest() == one.sha256:
                continue
            why = "its content is not what was written"
        yield Broken(path=one.part, campaign=one.campaign, why=why)


def _scan(
    place: Place, manifests: Sequence[Manifest], columns: Sequence[str] | None,
    wanted: Mapping[str, Sequence[object]],
) -> pd.DataFrame:  # fmt: skip
    table = table_of(place, manifests)
    required = [CAMPAIGN_ID, *(column.name for column in COLUMNS if column.required)]
    named = None if columns is None else list(dict.fromkeys([*required, *columns]))
    known = table.schema.names
    for name in (*(named or ()), *wanted):
        if name not in known and name not in OF_CAMPAIGNS:
            raise bad_name("column", name, why="no run of this store has it", known=known)
    conditions = [_among(table.schema.field(name), levels) for name, levels in wanted.items()
                  if name in known]  # fmt: skip
    kept = reduce(lambda one, other: one & other, conditions) if conditions else None
    found = table.to_table(columns=named, filter=kept)
    found.validate(full=True)  # texts, too: pandas would decode them when they are asked for
    # Before pandas, which would copy and cast some fifty columns that no run has.
    there = [name for name in found.column_names
             if named or name in required or found[name].null_count < len(found)]  # fmt: skip
    runs: pd.DataFrame = found.select(there).to_pandas()
    return runs


def _among(field: pa.Field, levels: Sequence[object]) -> arrow_tables.Expression:
    """Ask for one of these values, as the column's type writes them."""
    try:
        values = pa.array(levels).cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise bad_input(field.name, levels, why="its column has no such values",
                        allowed=str(field.type), do="correct it") from error  # fmt: skip
    return arrow_tables.field(field.name).isin(values)


def _may_have(manifest: Manifest, wanted: Mapping[str, Sequence[object]]) -> bool:
    """Whether any run of a campaign may be asked for, by what its manifest says."""
    one_of = {
        "box": (manifest.box,), "campaign": (manifest.campaign,), "datapath": manifest.datapaths,
        "program": manifest.programs,
        **{name: (getattr(manifest, field),) for name, field in OF_CAMPAIGNS.items()},
    }  # fmt: skip
    return all(set(levels) & set(one_of[name]) for name, levels in wanted.items()
               if name in one_of)  # fmt: skip


def _none(
    wanted: Mapping[str, Sequence[object]], listing: Listing, notes: Sequence[str]
) -> Exception:
    asked = ", ".join(f"{name}={'+'.join(map(str, levels))}" for name, levels in wanted.items())
    left_out = f" ({len(notes)} files could not be read: {notes[0]})" if notes else ""
    return bad_input(
        "runs", asked or "all", why=f"none of {len(listing.manifests)} campaigns has such "
        f"runs{left_out}", allowed="values that the store has", do="see linerate store list",
    )  # fmt: skip
