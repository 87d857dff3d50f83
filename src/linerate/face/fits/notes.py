"""What an answer about a user's BPF object rests on, a clause each."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING

from linerate.box import Box
from linerate.errors import BadInputError, DeviceFailedError, LinerateError
from linerate.measure.objects.code.beyond_test import copies_packets, reads_ingress
from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.code.targets import other_cpus
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.rate_limits import reads_clock
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.system.describe import this_box
from linerate.measure.trials.validity import SHARED_RATIO_MAX
from linerate.models.objects import ObjectAnswer
from linerate.models.objects.learnt import RunThere
from linerate.models.objects.limiter import limits_of
from linerate.models.objects.under_load import PLACES
from linerate.programs.costs import (
    BEHIND_BYTES,
    STACK,
    TO_CPU,
    TO_CPU_HOOKS,
    YARDSTICK,
    behind_name,
    latency_percents,
    operation_costs,
)
from linerate.programs.count import ProgramCount
from linerate.programs.times import ProgramTimes
from linerate.units import short

if TYPE_CHECKING:
    from linerate.measure.objects.calibrating.own_box import OwnBox
    from linerate.measure.objects.calibrating.recheck import RecheckedBox

UNSTEADY_RATIO = 0.05
"""Share of a packet's time by which the host's speed varies from which on that is said."""
SHARE_MIN = 0.75
"""Of its time that another core has to run the program, as the runner asks, too."""
LATENCY = (f"latency is that of waiting in a ring of {PLACES} and of service: waking up, card and "
           "wire come on top")  # fmt: skip
LATENCY_HERE = ("latency is that of the lab on this box, waking up and stalls of the machine with "
                "it; card and wire come on top")  # fmt: skip

UNLIKE = ("the program reads ingress_ifindex, which is 0 in test runs at tc, so that its packets "
          "may go another way: linerate measure has theirs")  # fmt: skip
EVENTS = ("perf_event_output", "xdp_output", "skb_output", "ringbuf_output", "ringbuf_reserve",
          "ringbuf_reserve_dynptr")  # fmt: skip
"""Helpers that write an event for user space."""
SOCKETS_MAP = "xskmap"
NAMED_MAX = 8
"""Maps that a note names."""
EVENT_MAPS = ("perf_event_array", "ringbuf")


def note_of_calibration(own: OwnBox, now: RecheckedBox) -> str:
    """Say how old a calibration is, and what has come of it since."""
    measured = f"base costs of {own.path}, {own.measured}"
    if isnan(now.ratio):
        return f"{measured}; how far off they are now was not found: the host stalled"
    changed = f"{abs(now.ratio - 1):.0%}"
    compared = "more" if now.ratio > 1 else "less"
    takes = "as long now" if changed == "0%" else f"{changed} {compared} now, which is counted in"
    text = f"{measured}; the hook takes {takes}"
    if now.deviation < UNSTEADY_RATIO:
        return text
    return f"{text}; the host was unsteady while it was tried, so the interval is wider"


def note_of_carrying(box: Box, runs: Sequence[RunThere]) -> str:
    """Say that a program was timed on another kind of CPU than the box has."""
    by = ("by the time that fixed work takes on both" if YARDSTICK in box.costs else
          "as it is: fixed work was never timed there")  # fmt: skip
    text = (f"the program was timed on this machine, and its time is carried to {box.name} "
            f"({box.cpu_model}) {by}")  # fmt: skip
    if runs:
        return text
    return f"{text}; it may be half or twice that: runs of it there, --measured, tell"


def notes_of_costs(boxes: Sequence[str], lab: str, *, are_shipped: bool) -> tuple[str, ...]:
    """Say that costs are another machine's, where they are; those that are shipped always are.

    Machines of one name may differ: of a virtual machine's CPU it may tell no more than the maker.
    """
    here = this_box(lab).name
    if here in boxes and not are_shipped:
        return ()
    return (f"this machine is {carried_to(boxes, here)}: its costs may be up to three times as "
            "high or as low; --model takes those that linerate fit found here",)  # fmt: skip


def carried_to(boxes: Sequence[str], box: str) -> str:
    """Name the machine that costs are carried to, which may have the name of theirs."""
    return f"another {box}" if box in boxes else box


def notes_of_latency(box: Box, datapath: str) -> tuple[str, ...]:
    """Say what latency is that of, and whether operations have costs."""
    latency = LATENCY_HERE if latency_percents(box.costs, datapath) else LATENCY
    if operation_costs(box.costs):
        return (latency,)
    return (latency, "what an operation costs was not calibrated: linerate calibrate measures it")


def note_of_run(ran_ns: Sequence[float]) -> str:
    """Say what packets took in each load of what ran on a user's frames."""
    taken = f"{short(min(ran_ns), 4)} to {short(max(ran_ns), 4)} ns a packet"
    return (f"{len(ran_ns)} loads of it ran here on these frames, {taken}; prices of paths are "
            "held against that")  # fmt: skip


def why_not(error: LinerateError) -> str:
    """Say why something did not run that could have."""
    begin = "not run"
    if isinstance(error, DeviceFailedError):
        begin = "not run, for it would not start"
    words = " ".join(str(error).split())  # a tool's own may be several lines
    return f"{begin}: {words.rstrip('.')}"


def notes_of_others(times: Sequence[ProgramTimes]) -> list[str]:
    """Say at what share of looks others used the cores meanwhile, where that may have mattered."""
    ratio = fmean(one.others_ratio for one in times)
    if isnan(ratio) or ratio <= SHARED_RATIO_MAX:
        return []
    return [f"others used these cores, too, at {ratio:.0%} of looks meanwhile: the answer is of "
            "this machine with its cores to itself, as far as these were left alone for moments, "
            "and beside others it is slower"]  # fmt: skip


def notes_of_frames(loads: Sequence[Frames]) -> tuple[str, ...]:
    """Say how much of a file of frames is used, where that is not all."""
    return tuple(frames.note for frames in loads if frames.note)


def notes_of_ways(
    listing: ObjectListing, tested: UnderTest, answers: Sequence[ObjectAnswer], box: Box
) -> tuple[str, ...]:
    """Say where packets go on to what no calibration has the time of."""
    verdicts = {path.verdict for answer in answers for path in answer.paths}
    kinds = {kind for answer in answers for kind, _ in answer.behind if kind in STACK}
    names = {behind_name(tested.datapath, kind, size) for kind in kinds for size in BEHIND_BYTES}
    handed = "pass" in verdicts and not names <= box.costs.keys()
    program = (tested.path, tested.entry)
    to_cpu = "redirect" in verdicts and _is_untimed(listing, tested, box)
    copied = "redirect" in verdicts and copies_packets(*program)
    found = {"packets that pass are delivered or forwarded by the network stack": handed,
             "packets may be redirected to another CPU": to_cpu,
             "packets are copied to all interfaces of a map": copied,
             "programs of entries of maps run behind the redirect":
             any("\nfollow " in line for line in tested.settings.lines)}  # fmt: skip
    unknown = tuple(f"{what}, whose time is not calibrated: linerate measure has it"
                    for what, is_so in found.items() if is_so)  # fmt: skip
    unlike = (UNLIKE,) if tested.datapath == "tc" and reads_ingress(*program) else ()
    return unknown + unlike + _unread(listing, tested)


def _is_untimed(listing: ObjectListing, tested: UnderTest, box: Box) -> bool:
    """Whether packets may go to another CPU, and not all do or what that takes is not known."""
    if tested.datapath not in TO_CPU_HOOKS:
        return False
    found = other_cpus(tested.path, tested.entry, listing, dict(tested.settings.filled))
    names = {behind_name(tested.datapath, TO_CPU, size) for size in BEHIND_BYTES}
    return bool(found.cpus) and not (found.takes_all and names <= box.costs.keys())


def _unread(listing: ObjectListing, tested: UnderTest) -> tuple[str, ...]:
    """Name what events are written to: a test run and the lab have nobody who takes them out."""
    calls = read_code(tested.path, tested.entry, listing).calls
    if not any(call.helper in EVENTS for call in calls):
        return ()
    names = [table.name for table in listing.maps if table.type in EVENT_MAPS] or ["a map"]
    return (f"nobody reads the events in {', '.join(names)}: with a reader each takes longer",)


def notes_of_clock(
    listing: ObjectListing, tested: UnderTest, counts: Sequence[ProgramCount],
    times: ProgramTimes, answer: ObjectAnswer,
) -> tuple[str, ...]:  # fmt: skip
    """Say where verdicts depend on how fast packets come, as they were seen to or may."""
    if not reads_clock(tested.path, tested.entry, listing):
        return ()
    if (limits := limits_of(times, answer.queues)) is not None:
        most = ", ".join(f"{short(mpps)} in {verdict}" if mpps else f"none in {verdict}"
                         for verdict, mpps in limits.most_mpps.items())  # fmt: skip
        return (f"the program limits a rate: of {short(limits.seen_mpps)} Mpps of "
                f"{times.frame_bytes:.4g} B in a flood of the lab {most}, what was beyond in "
                f"{', '.join(limits.beyond)}",)  # fmt: skip
    more = {path.verdict for count in counts for path in count.paths} - {""}
    more -= {path.verdict for path in answer.paths}
    if not more:
        return ()
    seen = ("in a flood of the lab they did not" if times.floods else
            "as often as packets come: linerate measure has their shares")  # fmt: skip
    return (f"the program reads the clock, and by it packets may end in {', '.join(sorted(more))}, "
            f"too; {seen}",)  # fmt: skip


def notes_of_cores(times: Sequence[ProgramTimes]) -> tuple[str, ...]:
    """Say where something else ran on the cores that should have run the program, too."""
    if all(each.share >= SHARE_MIN for one in times for each in one.together):
        return ()
    return ("other processes took the cores of test runs on several: what queues share may be "
            "more; ask again when less runs",)  # fmt: skip


def counted_of(
    listing: ObjectListing, tested: UnderTest, loads: Sequence[Frames]
) -> tuple[ProgramCount, ...]:
    """Count a program that is run, for what its packets call; none where it cannot be followed."""
    try:
        return count_program(tested.path, tested.entry, listing, tested.settings, loads,
                             tested.datapath)  # fmt: skip
    except BadInputError:
        return ()


def notes_of_empty(empty: Sequence[str], counts: Sequence[ProgramCount]) -> tuple[str, ...]:
    """Name what these packets look for and do not find: entries of maps, programs, sockets.

    Parameters
    ----------
    empty
        The object's maps without entries.
    counts
        Of the traffics; where the packets could not be followed, none: then all of these maps are
        named.
    """
    types = {use.name: use.type for count in counts for use in count.maps}
    missed = dict.fromkeys(one.on for count in counts for one in count.taken if one.missed)
    names = [name for name in missed if name in empty] if counts else list(empty)
    sockets = [name for name in names if types.get(name) == SOCKETS_MAP]
    slots = dict.fromkeys(slot for count in counts for slot in count.no_program)
    others = [name for name in names if name not in sockets]
    notes = []
    if slots:
        notes.append(f"no program is in {_first(list(slots))}: the call is not made")
    if others:
        notes.append(f"maps without entries: {_first(others)}; packets that find nothing there may "
                     "take a shorter path")  # fmt: skip
    if sockets:
        notes.append(f"no socket is in {_first(sockets)} here: what is redirected to one ends as "
                     "the flags of the redirect say; of a program for AF_XDP ask "
                     "linerate fits FUNCTION.so")  # fmt: skip
    return tuple(notes)


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
    return f"{', '.join(names[:NAMED_MAX])}{more}"
