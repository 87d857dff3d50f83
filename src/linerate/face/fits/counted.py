"""An answer without rights: a program that is counted and not run, on the costs of some box."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linerate.box import Box, read_box
from linerate.measure.objects.calibrating.own_box import AGE_HOURS_MAX, kept_box
from linerate.measure.objects.calibrating.shipped_box import shipped_box
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.models.objects.counted.estimate import Estimate, estimate
from linerate.models.objects.counted.program_times import notes_of, times_of
from linerate.programs.count import ProgramCount
from linerate.programs.times import ProgramTimes

NOT_RUN = ("not run: counted from its code, along the paths that these frames take with the maps "
           "as they are filled; a condition on what is not known halves the packets. "
           "As root it is run, which is surer")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was counted, and the box that it is priced on."""

    box: Box
    other_machine: bool
    """Whether the box is another machine, chosen for want of a calibration of this one."""
    counts: tuple[ProgramCount, ...]
    """For each traffic."""
    estimates: tuple[Estimate, ...]
    times: tuple[ProgramTimes, ...]
    notes: tuple[str, ...]


def count_object(
    tested: UnderTest, listing: ObjectListing, loads: Sequence[Frames],
    named: str | os.PathLike[str] | None,
) -> Counted:  # fmt: skip
    """Count a program on each traffic.

    Parameters
    ----------
    tested, listing
        The program, and what its object holds.
    loads
        The traffics.
    named
        A box file; this machine's last calibration, or else the nearest shipped box, if left out.

    Raises
    ------
    BadInputError
        The program cannot be counted, or no box has the costs of operations.
    """
    box, other_machine, of_box = any_box(named)
    counts = count_program(tested.path, tested.entry, listing, tested.settings, loads,
                           tested.datapath)  # fmt: skip
    estimates = tuple(estimate(count, box) for count in counts)
    assumed = dict.fromkeys(note for one in estimates for note in notes_of(one))
    return Counted(
        box=box, other_machine=other_machine, counts=counts, estimates=estimates,
        times=tuple(times_of(one, box, other_machine) for one in estimates),
        notes=(NOT_RUN, *of_box, *assumed),
    )  # fmt: skip


def any_box(named: str | os.PathLike[str] | None) -> tuple[Box, bool, tuple[str, ...]]:
    """Choose a box that needs no rights, whether it is another machine, and notes on it.

    The named one, this machine's own however old, the nearest shipped one.
    """
    if named is not None:
        return read_box(Path(named)), False, ()
    own = kept_box()
    if own is not None:
        old = " (old: root calibrates anew)" if own.age_hours > AGE_HOURS_MAX else ""
        return own.box, False, (
            f"base costs of {own.path}, {own.measured}{old}",
        )  # fmt: skip
    shipped = shipped_box()
    return shipped.box, True, (
        f"no calibration of this machine: answered with {shipped}; the interval is wider for it",
    )  # fmt: skip
