"""Times of objects on their traffics: test runs, and floods of those that limit a rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from linerate.errors import DeviceFailedError
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.rate_limits import floods, reads_clock
from linerate.measure.objects.test_run import UnderTest, time_on_each
from linerate.measure.objects.traffic.frames import Frames
from linerate.models.objects.limiter import are_alike, limits_of
from linerate.programs.times import ProgramTimes
from linerate.progress import Tell


def timed(
    programs: Sequence[tuple[UnderTest, ObjectListing]], loads: Sequence[Frames], tell: Tell,
    turns: int,
) -> list[tuple[ProgramTimes, ...]]:  # fmt: skip
    """Test-run programs in turn, and flood those of them whose verdicts may depend on the rate.

    Parameters
    ----------
    programs
        Each with what its object has.
    loads
        Traffics: several are sizes of frames, the smallest first.
    tell
        Called before each load of a program.
    turns
        Loads of each.

    Returns
    -------
    Of each traffic, the times of each program.

    Raises
    ------
    BadInputError
        Frames of several protocols, for a program of tc.
    """
    by_load = time_on_each([program for program, _ in programs], loads, tell, turns)
    by_program = [
        _flooded(program, loads, times, tell)
        if reads_clock(program.path, program.entry, listing) else times
        for (program, listing), times in zip(programs, zip(*by_load, strict=True), strict=True)
    ]  # fmt: skip
    return list(zip(*by_program, strict=True))


def _flooded(
    program: UnderTest, loads: Sequence[Frames], times: Sequence[ProgramTimes], tell: Tell
) -> tuple[ProgramTimes, ...]:
    """Flood it on one queue, and on more where that shows a limit; not where no lab takes it."""
    found = list(times)
    limited = list(range(len(loads)))
    for queues in range(1, program.cores + 1):
        tell("verdicts in a flood", queues - 1, program.cores)
        try:
            flooded = _flooded_on(program, [loads[load] for load in limited],
                                  [found[load] for load in limited], queues)  # fmt: skip
        except DeviceFailedError:
            break
        for load, one in zip(limited, flooded, strict=True):
            found[load] = one
        limited = [load for load in limited if limits_of(found[load], queues) is not None]
        if not limited:
            break
    return tuple(found)


def _flooded_on(
    program: UnderTest, loads: Sequence[Frames], times: Sequence[ProgramTimes], queues: int
) -> list[ProgramTimes]:
    """Flood it with the first and the last frames, and with others where these differ.

    The loads are sizes of frames in their order: a limit that is the same for the smallest and for
    the largest is that of those between.
    """

    def flooded(places: Sequence[int]) -> list[ProgramTimes]:
        seen = floods(program, [loads[place] for place in places], queues)
        return [replace(times[place], floods=(*times[place].floods, flood))
                for place, flood in zip(places, seen, strict=True)]  # fmt: skip

    if len(loads) < 3:
        return flooded(range(len(loads)))
    first, last = flooded((0, len(loads) - 1))
    between = range(1, len(loads) - 1)
    if not are_alike(limits_of(first, queues), limits_of(last, queues)):
        return [first, *flooded(between), last]
    alike = [replace(times[place], floods=(*times[place].floods, first.floods[-1]))
             for place in between]  # fmt: skip
    return [first, *alike, last]
