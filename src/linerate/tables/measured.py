"""Measured runs as Python hands them on: a checked table, and where it was read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from linerate.errors import bad_input
from linerate.tables.html import html_table, html_text
from linerate.tables.runs import check_runs, listed, read_runs

PATHS_SHOWN = 4
"""Datapaths and programs that a summary names; the others are counted."""
ROWS_SHOWN = 5
"""Rows that a notebook shows of a table."""
COLUMNS_SHOWN = (
    "datapath", "program", "memory_accesses", "queues", "frame_bytes", "offered_mpps",
    "forwarded_mpps", "verdict",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """Measured runs, one row for each program load and cell.

    Examples
    --------
    >>> runs = read("data/reference-veth")
    >>> len(runs.filter(datapath="xdp_native", queues=[1, 2]))
    360
    """

    table: pd.DataFrame
    """Columns of data/README.md, checked; units in their names."""
    sources: tuple[Path, ...] = ()
    """Files and folders they were read from."""
    notes: tuple[str, ...] = ()
    """What could not be read of these, one sentence each."""

    @classmethod
    def of(cls, runs: Runs | pd.DataFrame) -> Runs:
        """Take runs as they are, and check a table that may hold them.

        Raises
        ------
        BadInputError
            A table that lacks columns, or holds impossible values.
        """
        return runs if isinstance(runs, Runs) else cls(table=check_runs(runs))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def boxes(self) -> tuple[str, ...]:
        """Machines that they were measured on."""
        return tuple(map(str, self.table["box"].dropna().unique()))

    @property
    def programs(self) -> tuple[str, ...]:
        """Datapaths and programs, as ``xdp_native/map_lookup``."""
        pairs = self.table[["datapath", "program"]].drop_duplicates()
        return tuple(f"{datapath}/{program}" for datapath, program in pairs.to_numpy())

    def filter(self, **values: object) -> Runs:
        """Keep the rows whose columns have these values.

        Parameters
        ----------
        **values
            A value, or a collection of values, for each column that is named.

        Raises
        ------
        BadInputError
            No such column.
        """
        kept = self.table
        for name, wanted in values.items():
            if name not in kept.columns:
                raise bad_input("column", name, why="these runs have no such column",
                                allowed=listed(kept), do="use one of table.columns")  # fmt: skip
            kept = kept[kept[name].isin(levels_of(wanted))]
        return replace(self, table=kept)

    def __str__(self) -> str:
        more = len(self.programs) - PATHS_SHOWN
        names = ", ".join(self.programs[:PATHS_SHOWN]) + (f" and {more} more" if more > 0 else "")
        return f"{len(self)} runs of {names}; box {', '.join(self.boxes)}"

    def __repr__(self) -> str:
        return f"<Runs: {self}>"

    def _repr_html_(self) -> str:
        shown = [name for name in COLUMNS_SHOWN if name in self.table.columns]
        return html_text(str(self)) + html_table(self.table[shown].head(ROWS_SHOWN))


def levels_of(wanted: object) -> list[object]:
    """Take a value as a list of one, and a collection as it is."""
    if isinstance(wanted, Iterable) and not isinstance(wanted, str):
        return list(wanted)
    return [wanted]


def read(*paths: str | os.PathLike[str]) -> Runs:
    """Read measured runs.

    Parameters
    ----------
    *paths
        Folders of measured campaigns, CSV or Parquet files; one or several.

    Returns
    -------
    Rows in the order of the paths, checked.

    Raises
    ------
    BadInputError
        No path, or one that holds no runs: what it is instead, and what to do.

    Examples
    --------
    >>> print(read("data/reference-veth"))
    720 runs of xdp_generic/map_lookup, xdp_native/map_lookup; box amd-epyc-2cpu-6.18.44-veth
    """
    if not paths:
        raise bad_input("paths", "", why="nothing is named", allowed="one path or several",
                        do='name one: read("data/reference-veth")')  # fmt: skip
    sources = tuple(map(Path, paths))
    return Runs(table=read_runs(sources), sources=sources)
