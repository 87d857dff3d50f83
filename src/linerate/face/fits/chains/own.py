"""Times of the user's own objects that are functions of a chain."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from linerate.face.fits.chains.file import LIBRARY, ChainFile, ChainFunction
from linerate.face.fits.counted import count_object
from linerate.measure.functions.library import read_library
from linerate.measure.objects.entry import choose_entry, hook_for
from linerate.measure.objects.listing import ObjectListing, list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_on_each
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.programs.costs import SOCKETS
from linerate.programs.times import ProgramTimes
from linerate.progress import telling
from linerate.units import short

DROPPED_MIN = 0.005
"""Share of the frames that an object drops from which on that is said."""
_DATAPATHS = ("tc", "xdp_native")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """One object, ready to be timed."""

    tested: UnderTest
    listing: ObjectListing | None
    """What it holds; None of a shared object."""


def timed_functions(
    chain: ChainFile, folder: Path, sizes: Sequence[int], *, static: bool | None, progress: bool
) -> tuple[dict[int, ChainFile], tuple[str, ...]]:
    """Time the objects that are functions of a chain, on frames of each size.

    Parameters
    ----------
    chain, folder
        The chain, and where paths in it begin.
    sizes
        Of the lab's frames, B with FCS.
    static
        Whether BPF objects are counted instead of run; without root, if None.
    progress
        Whether to show a bar.

    Returns
    -------
    For each size the chain whose functions all have a time, and notes.

    Raises
    ------
    BadInputError
        An object that cannot be used.
    """
    objects = {place: _own(each, folder) for place, each in enumerate(chain.functions)
               if each.object}  # fmt: skip
    if not objects:
        return dict.fromkeys(sizes, chain), ()
    is_counted = os.geteuid() != 0 if static is None else static
    loads = [of_size(size) for size in sizes]
    run = {place: own for place, own in objects.items() if own.listing is None or not is_counted}
    notes: list[str] = []
    times: dict[int, Sequence[ProgramTimes]] = {}
    if run:
        with telling(shown=progress) as tell:
            by_load = time_on_each([own.tested for own in run.values()], loads, tell)
        times |= dict(zip(run, zip(*by_load, strict=True), strict=True))
    for place, own in objects.items():
        if own.listing is not None and is_counted:
            counted = count_object(own.tested, own.listing, loads, None)
            times[place] = counted.times
            notes += [f"{chain.functions[place].name}: {note}" for note in counted.notes]
    notes += _said(chain, times, sizes)
    return {size: _with_times(chain, {place: each[number] for place, each in times.items()})
            for number, size in enumerate(sizes)}, tuple(dict.fromkeys(notes))  # fmt: skip


def _own(function: ChainFunction, folder: Path) -> _Own:
    path, entry = folder / function.object, function.entry or None
    if path.suffix == LIBRARY:
        tested = UnderTest(path=path, entry=read_library(path).entry(entry), settings=NOTHING,
                           datapath=SOCKETS)  # fmt: skip
        return _Own(tested=tested, listing=None)
    listing = list_object(path)
    datapath = hook_for(listing, entry, _DATAPATHS)
    name = choose_entry(listing, datapath, entry)
    maps = folder / function.maps if function.maps else None
    tested = UnderTest(path=path, entry=name, settings=read_settings(listing, maps, ()),
                       datapath=datapath)  # fmt: skip
    return _Own(tested=tested, listing=listing)


def _with_times(chain: ChainFile, times: Mapping[int, ProgramTimes]) -> ChainFile:
    return replace(chain, functions=[
        replace(each, object="", entry="", maps="", ns_per_packet=_taken_ns(times[place]))
        if place in times else each
        for place, each in enumerate(chain.functions)
    ])  # fmt: skip


def _taken_ns(times: ProgramTimes) -> float:
    return max(0.0, median(times.program_ns))


def _said(
    chain: ChainFile, times: Mapping[int, Sequence[ProgramTimes]], sizes: Sequence[int]
) -> Iterator[str]:
    for place, by_size in times.items():
        name = chain.functions[place].name
        taken = ", ".join(f"{short(_taken_ns(one), 3)} ns at {size} B"
                          for size, one in zip(sizes, by_size, strict=True))  # fmt: skip
        yield f"{name} takes {taken}"
        shares = by_size[0].verdict_shares()
        lost = sum(share for verdict, share in shares.items() if verdict in ("drop", "aborted"))
        if lost > DROPPED_MIN:
            yield (f"{name} drops {lost:.0%} of these frames; the chain is answered as if it "
                   "passed all")  # fmt: skip
