"""What plain instructions and calls of helpers cost on this machine: test runs of many of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linerate.box import Cost
from linerate.measure.objects.calibrating.behind import STACKS
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.entry import candidates
from linerate.measure.objects.listing import ObjectListing, list_object
from linerate.measure.objects.maps.maps_file import Fill, MapsFile, MapTable
from linerate.measure.objects.maps.settings import settings_of
from linerate.measure.objects.test_run import UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import FORWARD, INSTRUCTION, OPERATION
from linerate.progress import Tell

PARTS, HELPERS = "costs", "helpers"
TIMES = 32
"""Calls in each program."""
ENTRIES = 512
"""Of each table: the caches hold them."""
LOADS = 3
FRAME_BYTES = 64
_TABLES = {PARTS: ("hash", "lru_hash"), HELPERS: ("hash", "percpu_hash")}
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
    frames = of_size(FRAME_BYTES)
    found: dict[str, tuple[NDArray[np.float64], float]] = {}
    programs = list(_programs())
    times = time_programs([each for each, _ in programs], frames, tell, loads)
    for (each, listing), one in zip(programs, times, strict=True):
        (count,) = count_program(each.path, each.entry, listing, each.settings, [frames],
                                 each.datapath)  # fmt: skip
        found[each.entry] = np.array(one.program_ns), count.instructions
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


def _programs() -> Iterator[tuple[UnderTest, ObjectListing]]:
    """Give the programs of each object, at the hook that each is for."""
    for object_name, hooks in ((PARTS, ("xdp_native",)), (HELPERS, ("xdp_native", "tc"))):
        path = built.program_object(object_name)
        listing = list_object(path)
        filled = tuple(
            MapTable(name=name, where=name, max_entries=ENTRIES,
                     fill=Fill(where=name, count=ENTRIES, key="index", value=1))
            for name in _TABLES[object_name]
        )  # fmt: skip
        settings = settings_of(listing, MapsFile(
            tables=filled, environment=STACKS[FORWARD] if object_name == HELPERS else None
        ))  # fmt: skip
        for hook in hooks:
            for name in candidates(listing, hook):
                yield UnderTest(path=path, entry=name, settings=settings, datapath=hook), listing
