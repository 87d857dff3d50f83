"""How packets of a program that reads the clock end when they come as fast as they can.

Test runs ask for verdicts some 5 us apart, and a limiter may let through all that comes then. So
the program is attached in the veth lab and flooded there. What a limiter saved up before is let
through first; the packets of each verdict are counted after that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns

from linerate.errors import LinerateError
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.lab import (
    AttachedObject,
    attach_object,
    open_object_lab,
    send_frames,
)
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.trials.bench import Timing
from linerate.programs.times import Flood

CLOCKS = frozenset({
    "ktime_get_ns", "ktime_get_boot_ns", "ktime_get_coarse_ns", "ktime_get_tai_ns", "jiffies64",
    "timer_start",
})  # fmt: skip
"""Helpers by which a program knows how fast packets come: clocks, and a timer that it starts."""
TIMING = Timing(warm_up_seconds=0.1, seconds=0.15)
"""Of a flood: first what was saved up, then what is counted."""
TRIES, LATE_US_MAX, READING_US_MAX = 5, 50_000.0, 5_000.0
"""A flood is tried again where a busy machine began to count so late, or took so long to read."""


@dataclass(slots=True, kw_only=True)
class _Begin:
    """Where the counted time of a flood began."""

    ends: Ends
    asked_ns: int = 0
    """When the counts were asked for, by the monotonic clock."""
    read_ns: int = 0
    """When they were there: they are of a time between."""
    late_us: float = 0.0
    """How long after it that was."""

    @property
    def is_in_time(self) -> bool:
        """Whether enough is left to count, and it is known since when."""
        read_us = 1e-3 * (self.read_ns - self.asked_ns)
        return self.late_us < LATE_US_MAX and read_us < READING_US_MAX


def reads_clock(path: Path, entry: str, listing: ObjectListing) -> bool:
    """Whether a program has a call by which its verdicts may depend on when packets come."""
    return any(call.helper in CLOCKS for call in read_code(path, entry, listing).calls)


def floods(tested: UnderTest, loads: Sequence[Frames], queues: int) -> list[Flood]:
    """Flood a program with each of some traffics on so many queues, a quarter of a second each.

    It is loaded anew for each, so that none begins with what another left of a limit.

    Parameters
    ----------
    tested
        A program on a hook of the veth lab.
    loads
        Its traffics.
    queues
        Each is served by a core that generates its packets, too.

    Raises
    ------
    DeviceFailedError
        It cannot be attached.
    LinerateError
        The machine is too busy to count in time.
    """
    with open_object_lab("serial", queues, tested.datapath, tested.settings.environment) as lab:
        return [_flood(lab, tested, frames, queues) for frames in loads]


def _flood(lab: VethLab, tested: UnderTest, frames: Frames, queues: int) -> Flood:
    with (
        plan_file(tested.settings, frames) as plan,
        attach_object(
            lab, tested.datapath, tested.path, tested.entry, plan, counted=True
        ) as attached,
    ):
        begin = _Begin(ends=attached.ends(passed_counted=True))
        for _ in range(TRIES):
            report = send_frames(attached, plan, TIMING, _counted_from(attached, begin))
            begin.late_us = 1e-3 * (begin.read_ns - report.began_ns)
            if begin.is_in_time:
                break
        else:
            raise LinerateError(f"flood: counts came {1e-3 * begin.late_us:.0f} ms late, "
                                f"{TRIES} times; ask again when less runs")  # fmt: skip
        verdicts = attached.ends(passed_counted=True).since(begin.ends).verdicts
    counted_us = 1e-3 * report.duration_ns - begin.late_us
    return Flood(queues=queues, rates_mpps=tuple(
        (verdict, count / counted_us) for verdict, count in verdicts.items()
    ))  # fmt: skip


@contextmanager
def _counted_from(attached: AttachedObject[VethLab], begin: _Begin) -> Iterator[None]:
    """Read the counts where the counted time begins."""
    begin.asked_ns = monotonic_ns()
    begin.ends = attached.ends(passed_counted=True)
    begin.read_ns = monotonic_ns()
    yield
