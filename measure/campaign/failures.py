"""Cells of a campaign that could not be measured, since the device under test failed."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from linerate.cells import Cell
from linerate.files.store import Store
from linerate.records import JournalEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCell:
    """One cell whose device failed, in one run of it or more."""

    cell: Cell
    runs: tuple[str, ...]
    """Ids of these runs, and of searches."""
    reason: str
    """How the device failed, of the first of them."""

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{', '.join(self.runs)} ({self.name}): {self.reason}"

    @property
    def name(self) -> str:
        """What tells the cell from most others."""
        return cell_name(self.cell)


def cell_name(cell: Cell) -> str:
    """Name what tells a cell from most others."""
    load = cell.load
    rate = "a flood" if math.isinf(load.offered_mpps) else f"{load.offered_mpps:g} Mpps"
    words = [f"{cell.datapath} {cell.program}"]
    words += [f"{cell.memory_accesses} accesses"] if cell.memory_accesses else []
    words += [f"{cell.queues} queue{'s' if cell.queues > 1 else ''}"]
    return ", ".join([*words, f"{load.frame_bytes:g} B", rate])


def failed_cells(store: Store) -> list[FailedCell]:
    """List the cells with a run that failed when it was last measured.

    Parameters
    ----------
    store
        The campaign's folder.

    Returns
    -------
    In the order in which they failed first; none of a campaign without failures.
    """
    by_cell: dict[Cell, list[JournalEntry]] = defaultdict(list)
    for entry in store.failures():
        by_cell[entry.cell].append(entry)
    return [
        FailedCell(
            cell=cell, runs=tuple(entry.run_id for entry in entries),
            reason=entries[0].trial.failure,
        )
        for cell, entries in by_cell.items()
    ]  # fmt: skip
