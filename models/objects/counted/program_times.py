"""A program's time from its code alone, in the form in which test runs say it."""

from __future__ import annotations

from math import hypot

from linerate.box import Box
from linerate.errors import bad_input
from linerate.models.objects.counted.estimate import Estimate
from linerate.programs.costs import YARDSTICK
from linerate.programs.times import FrameTimes, ProgramTimes

LOG_DEVIATION = 0.40
"""Standard deviation of the logarithm of measured over counted time: 0.35 and 0.41 over 24 programs
(docs/objects/without-root.md)."""
STANDING_LOG_DEVIATION = 0.84
"""The same of a part for which another operation stood in: in nine of ten cases within a factor of
four. The one such call of our examples, fib_lookup, takes four times as long as what stands in."""
MACHINE_LOG_DEVIATION = 0.21
"""What the costs of another machine add to it (`service.OTHER_MACHINE_RATIO`)."""
_UNKNOWN = "pass"
"""Verdict that one is taken for that is not known: the most expensive."""
WHOLE = 0.985
"""Share of the packets from which on the rest is not worth a word."""


def times_of(counted: Estimate, box: Box, other_machine: bool) -> ProgramTimes:
    """Say an estimate as test runs would.

    Parameters
    ----------
    counted
        The estimate at the costs of the box.
    box
        Calibrated.
    other_machine
        Whether it is another machine than the one that is asked about.

    Raises
    ------
    BadInputError
        The box has no yardstick, so it was not calibrated.
    """
    if YARDSTICK not in box.costs:
        raise bad_input("box", box.name, why=f"it has no cost {YARDSTICK}", allowed="a box that "
                        "linerate calibrate wrote", do="name another by --box")  # fmt: skip
    deviations = (
        LOG_DEVIATION, counted.standing_ratio * STANDING_LOG_DEVIATION,
        MACHINE_LOG_DEVIATION if other_machine else 0.0,
    )  # fmt: skip
    return ProgramTimes(
        program=counted.count.program, program_ns=(counted.program_ns,),
        yardstick_ns=(box.costs[YARDSTICK].value_ns,),
        log_deviation=hypot(*deviations),
        frames=tuple(
            FrameTimes(frame_bytes=path.frame_bytes, share=path.share, program_ns=ns,
                       verdict=path.verdict or _UNKNOWN)
            for path, ns in zip(counted.count.paths, counted.path_ns, strict=True)
        ),
    )  # fmt: skip


def notes_of(counted: Estimate) -> tuple[str, ...]:
    """Say what an estimate assumes, one clause each."""
    count = counted.count
    unknown = sum(path.share for path in count.paths if not path.verdict)
    notes = [*count.notes, *counted.notes]
    if unknown:
        notes.append(f"what {unknown:.0%} of the packets end in is not known from the code: "
                     f"taken as {_UNKNOWN}, the most expensive")  # fmt: skip
    if count.followed < WHOLE:
        notes.append(f"the paths of {count.followed:.0%} of the packets were followed to their end;"
                     " the others are taken to be like them")  # fmt: skip
    return tuple(notes)
