"""Cells and runs as arrays: what every model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.errors import bad_input
from linerate.models.arrays import Array as Array
from linerate.tables.columns import KNOWN
from linerate.tables.runs import check_columns, listed
from linerate.units import line_rate_mpps

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]

FACTORS = ("memory_accesses", "queues", "frame_bytes", "link_gbps")
"""The numbers that place a cell, beside its datapath and program."""


class Pair(NamedTuple):
    """A program on a datapath: what has costs of its own."""

    datapath: str
    program: str

    def __str__(self) -> str:
        return f"{self.datapath}/{self.program}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The factors of n cells; every array has shape (n,)."""

    pairs: tuple[Pair, ...]
    """What ``pair`` points into."""
    pair: Codes
    """Index of each cell's datapath and program."""
    memory_accesses: Array
    """Accesses a packet asks for."""
    queues: Array
    """Receive queues, one core each."""
    frame_bytes: Array
    """Frame size with FCS."""
    link_gbps: Array
    """Link speed; inf for none."""
    offered_mpps: Array
    """Rate offered over all queues; inf where none is named."""

    def __len__(self) -> int:
        return self.pair.size

    @property
    def line_mpps(self) -> Array:
        """Line rate, shape (n,), Mpps."""
        return line_rate_mpps(self.link_gbps, self.frame_bytes)

    def take(self, rows: Mask | Codes) -> Cells:
        """Keep some rows; the pairs stay, so that codes keep their meaning."""
        return Cells(
            pairs=self.pairs, pair=self.pair[rows], memory_accesses=self.memory_accesses[rows],
            queues=self.queues[rows], frame_bytes=self.frame_bytes[rows],
            link_gbps=self.link_gbps[rows], offered_mpps=self.offered_mpps[rows],
        )  # fmt: skip

    def of_pairs(self, pairs: Sequence[Pair]) -> Cells:
        """Point into another list of pairs that holds all of these."""
        code = np.array([pairs.index(pair) if pair in pairs else -1 for pair in self.pairs])
        moved = code[self.pair] if len(self) else self.pair
        if (moved < 0).any():
            raise unknown_pair(self.pairs[int(self.pair[np.argmax(moved < 0)])], pairs)
        return Cells(
            pairs=tuple(pairs), pair=moved.astype(np.intp), memory_accesses=self.memory_accesses,
            queues=self.queues, frame_bytes=self.frame_bytes, link_gbps=self.link_gbps,
            offered_mpps=self.offered_mpps,
        )  # fmt: skip


def cells_of(table: pd.DataFrame, pairs: Sequence[Pair] = ()) -> Cells:
    """Read the factors of cells from a table.

    Parameters
    ----------
    table
        Columns ``datapath``, ``memory_accesses``, ``queues``, ``frame_bytes``, ``link_gbps``;
        ``program`` too unless ``pairs`` leaves no choice; ``offered_mpps`` if there.
    pairs
        Known pairs to point into; empty to take those of the table.

    Raises
    ------
    BadInputError
        Missing columns, impossible values, or a pair that is not among ``pairs``.
    """
    needed = ["datapath", *FACTORS, *(["program"] if not pairs else [])]
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise bad_input(
            "columns", listed(table), why=f"missing {', '.join(missing)}",
            allowed=", ".join(needed), do="add them (data/README.md says what each means)",
        )  # fmt: skip
    optional = [name for name in ("program", "offered_mpps") if name in table.columns]
    checked = check_columns(table[list(dict.fromkeys([*needed, *optional]))])
    own, pair = _pairs_of(checked, pairs)
    offered = np.full(len(checked), np.inf)
    if "offered_mpps" in optional:
        offered = checked["offered_mpps"].fillna(np.inf).to_numpy(dtype=np.float64)
    numbers = {name: checked[name].to_numpy(dtype=np.float64) for name in FACTORS}
    cells = Cells(pairs=own, pair=pair, offered_mpps=offered, **numbers)
    return cells.of_pairs(pairs) if pairs else cells


def cells_at(named: Sequence[Mapping[str, object]], pairs: Sequence[Pair]) -> Cells:
    """Place cells that are named one by one; a table is made only of what has to be refused.

    Parameters
    ----------
    named
        Columns of each cell, as ``cells_of`` reads them, without a load.
    pairs
        Known pairs to point into.

    Raises
    ------
    BadInputError
        As ``cells_of``.
    """
    places = [_plain_pair(one, pairs) for one in named]
    if not all(place is not None and _plain(one) for place, one in zip(places, named, strict=True)):
        return cells_of(pd.DataFrame(list(named)), pairs)
    factors = {name: np.array([one[name] for one in named], dtype=np.float64) for name in FACTORS}
    return Cells(pairs=tuple(pairs), pair=np.array(places, dtype=np.intp),
                 offered_mpps=np.full(len(named), np.inf), **factors)  # fmt: skip


def _plain_pair(named: Mapping[str, object], pairs: Sequence[Pair]) -> int | None:
    """Index of the one pair that a cell can mean; None where there is none, or several."""
    meant = [
        index for index, pair in enumerate(pairs) if pair.datapath == named.get("datapath")
        and named.get("program", pair.program) == pair.program
    ]  # fmt: skip
    return meant[0] if len(meant) == 1 else None


def _plain(named: Mapping[str, object]) -> bool:
    """Whether each factor is a number that its column may hold."""
    return all(
        isinstance(value := named.get(name), int | float) and KNOWN[name].holds(float(value))
        for name in FACTORS
    )


def _pairs_of(table: pd.DataFrame, known: Sequence[Pair]) -> tuple[tuple[Pair, ...], Codes]:
    """Distinct pairs of a table, and each row's index among them."""
    datapath, datapaths = pd.factorize(table["datapath"])
    if "program" in table.columns:
        program, programs = pd.factorize(table["program"])
        code, distinct = pd.factorize(datapath * len(programs) + program)
        pairs = [
            Pair(str(datapaths[key // len(programs)]), str(programs[key % len(programs)]))
            for key in map(int, distinct)
        ]
        return tuple(pairs), code.astype(np.intp)
    return tuple(_only_pair(str(name), known) for name in datapaths), datapath.astype(np.intp)


def _only_pair(datapath: str, known: Sequence[Pair]) -> Pair:
    fitting = [pair for pair in known if pair.datapath == datapath]
    if not fitting:
        raise bad_input(
            "datapath", datapath, why="the model was not fitted on it",
            allowed=", ".join(sorted({pair.datapath for pair in known})),
            do="measure it and fit again, or ask for one of these",
        )  # fmt: skip
    refuse_nameless(datapath, [pair.program for pair in fitting])
    return fitting[0]


def refuse_nameless(datapath: str, programs: Sequence[str]) -> None:
    """Refuse a cell that names no program where its datapath ran several.

    Raises
    ------
    BadInputError
        With the programs to choose from.
    """
    if len(programs) > 1:
        raise bad_input(
            "program", "", why=f"the model knows several programs on {datapath}",
            allowed=", ".join(programs), do="name one of them: --program, or the column program",
        )  # fmt: skip


def unknown_pair(pair: Pair, known: Sequence[Pair]) -> Exception:
    """Build the refusal of a pair that the model was not fitted on."""
    return bad_input(
        "datapath/program", pair, why="the model was not fitted on it",
        allowed=", ".join(map(str, known)), do="measure it and fit again, or ask for one of these",
    )  # fmt: skip
