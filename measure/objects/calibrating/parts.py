"""What plain instructions and calls of helpers cost on this machine: test runs of many of each."""

from __future__ import annotations

import numpy as np

from linerate.box import Cost
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.maps_file import Fill, MapsFile, MapTable
from linerate.measure.objects.maps.settings import settings_of
from linerate.measure.objects.test_run import UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import INSTRUCTION, OPERATION
from linerate.progress import Tell

PROGRAM = "costs"
TIMES = 32
"""Calls in each program."""
ENTRIES = 512
"""Of each table: the caches hold them."""
LOADS = 3
FRAME_BYTES = 64
_TABLES = ("hash", "lru_hash")
_NOTHING = "nothing"
"""The loop that all but the straight one have."""


def measure_parts(tell: Tell, loads: int = LOADS) -> dict[str, Cost]:
    """Measure what a plain instruction takes, and what calls take besides their instructions.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over loads with the smallest and the
    largest, ns.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    path, frames = built.program_object(PROGRAM), of_size(FRAME_BYTES)
    listing = list_object(path)
    settings = settings_of(listing, MapsFile(assignments=(), tables=tuple(
        MapTable(name=name, where=name, max_entries=ENTRIES,
                 fill=Fill(where=name, count=ENTRIES, key="index", value=1))
        for name in _TABLES
    )))  # fmt: skip
    names = [program.name for program in listing.programs]
    programs = [UnderTest(path=path, entry=name, settings=settings) for name in names]
    times = time_programs(programs, frames, tell, loads)
    taken = [np.array(one.program_ns) for one in times]
    counted = [
        count_program(path, name, listing, settings, [frames])[0].instructions for name in names
    ]
    found = dict(zip(names, zip(taken, counted, strict=True), strict=True))
    straight_ns, straight = found.pop(INSTRUCTION)
    nothing_ns, nothing = found.pop(_NOTHING)
    each_ns = straight_ns / straight
    costs = {
        name: (ns - nothing_ns - (instructions - nothing) * each_ns) / TIMES
        for name, (ns, instructions) in found.items()
    }
    return {
        f"{OPERATION}{name}": cost_over_loads(ns)
        for name, ns in {INSTRUCTION: each_ns, **costs}.items()
    }
