"""What operations of a program cost on this machine: test runs of a program that does so many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linerate.box import Cost
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import ObjectListing, list_object
from linerate.measure.objects.maps.maps_file import Assignment, Fill, MapsFile, MapTable
from linerate.measure.objects.maps.settings import Settings, settings_of
from linerate.measure.objects.test_run import UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import OPERATION
from linerate.progress import Tell

TIMES = 32
"""Operations of a kind in one packet: as many as the kernel chains tail calls."""
ENTRIES = 512
"""Of each table: with what else a packet needs they stay in a core's caches."""
LOADS = 3
FRAME_BYTES = 64
_DRAW = "key_only"
"""What a lookup does before it looks up; no cost of the table's."""
_TABLES = {"array_lookup": "array", "percpu_array_lookup": "percpu_array", "hash_lookup": "hash",
           "lru_hash_lookup": "lru_hash", "lpm_lookup": "lpm"}  # fmt: skip
_SHARED = "shared_hash_add"
"""What cores do to each other is calibrated apart, by a counter of packets."""
_KINDS = tuple(kind for kind in OPERATIONS_MAX if kind != _SHARED)


def measure_operations(tell: Tell, loads: int = LOADS) -> dict[str, Cost]:
    """Measure what one operation of each kind adds to a program, from what the caches hold.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over loads with the smallest and the
    largest, ns.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    path = built.program_object("operations")
    listing = list_object(path)
    programs = [
        UnderTest(path=path, entry="operations", settings=_settings(listing, kind))
        for kind in (None, *_KINDS)
    ]
    times = time_programs(programs, of_size(FRAME_BYTES), tell, loads)
    added = _added([np.array(one.program_ns) for one in times])
    return {f"{OPERATION}{kind}": cost_over_loads(ns) for kind, ns in added.items()}


def counted_instructions() -> dict[str, float]:
    """Count the instructions that one operation of each kind adds to the program that is run.

    They are those of the object at hand: another compiler lays out others.

    Returns
    -------
    By kind; those of drawing a key are not part of a lookup's.
    """
    path, frames = built.program_object("operations"), of_size(FRAME_BYTES)
    listing = list_object(path)
    counts = [
        count_program(path, "operations", listing, _settings(listing, kind), [frames])[0]
        for kind in (None, *_KINDS)
    ]
    added = _added([np.array(count.instructions) for count in counts])
    return {kind: float(instructions) for kind, instructions in added.items()}


def _added(programs: Sequence[NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Take what one operation of each kind adds to a program that does none, the first of these."""
    none, *each = programs
    added = {kind: (total - none) / TIMES for kind, total in zip(_KINDS, each, strict=True)}
    draw = added.pop(_DRAW)
    return {kind: one - draw if kind in _TABLES else one for kind, one in added.items()}


def _settings(listing: ObjectListing, kind: str | None) -> Settings:
    """Ask for so many operations of one kind, or of none, with every table filled."""
    counts = [TIMES if each == kind else 0 for each in OPERATIONS_MAX]
    ranged = list(OPERATIONS_MAX).index(_DRAW) + 1
    wanted = {"counts": counts, "entries": [ENTRIES] * ranged}
    where = f"operation {kind}"
    return settings_of(listing, MapsFile(
        assignments=tuple(
            Assignment(name=f"settings.{name}", value=value, where=where)
            for name, value in wanted.items()
        ),
        tables=tuple(
            MapTable(name=table, where=where, max_entries=ENTRIES, fill=_fill(table, where))
            for table in _TABLES.values()
        ),
    ))  # fmt: skip


def _fill(table: str, where: str) -> Fill:
    prefix = {"prefix_bits": 32, "address": "0.0.0.0+index"}
    return Fill(where=where, count=ENTRIES, key=prefix if table == "lpm" else "index", value={})
