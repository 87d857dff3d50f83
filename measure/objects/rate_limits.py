r"""How packets of a program that reads the clock end when they come as fast as they can.

Test runs ask for verdicts some 5 us apart, and a limiter may let through all that comes then. So
the program is attached in the veth lab and flooded there, for two lengths of time :math:`t`. A
verdict that has :math:`n` packets of each has a rate of

.. math:: a = (n_2 - n_1) / (t_2 - t_1),

in which a burst that was saved up before cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
FIRST_SECONDS = 0.1
"""Of a flood before both, which takes what was saved up."""
SECONDS = (0.05, 0.2)
"""Of the two."""


def reads_clock(path: Path, entry: str, listing: ObjectListing) -> bool:
    """Whether a program has a call by which its verdicts may depend on when packets come."""
    return any(call.helper in CLOCKS for call in read_code(path, entry, listing).calls)


def floods(tested: UnderTest, loads: Sequence[Frames], queues: int) -> list[Flood]:
    """Flood a program with each of some traffics on so many queues, half a second each.

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
        _send(attached, plan, FIRST_SECONDS)
        (first_us, first), (second_us, second) = (
            _send(attached, plan, seconds) for seconds in SECONDS
        )
    return Flood(queues=queues, rates_mpps=tuple(
        (verdict, max(0.0, (count - first.verdicts[verdict]) / (second_us - first_us)))
        for verdict, count in second.verdicts.items()
    ))  # fmt: skip


def _send(attached: AttachedObject[VethLab], plan: Path, seconds: float) -> tuple[float, Ends]:
    """Flood it for so long: us that it took, and how packets ended."""
    before = attached.ends(passed_counted=True)
    report = send_frames(attached, plan, Timing(warm_up_seconds=0.0, seconds=seconds))
    return 1e-3 * report.duration_ns, attached.ends(passed_counted=True).since(before)
