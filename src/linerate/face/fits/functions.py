"""Whether a packet function in user space sustains line rate on AF_XDP: from its file to words."""

from __future__ import annotations

import os
from pathlib import Path

from linerate.box import Box, read_box
from linerate.errors import bad_input
from linerate.face.fits.counted import any_box
from linerate.face.fits.notes import LATENCY
from linerate.face.fits.object_fits import ObjectFits
from linerate.links import LINK_GBPS
from linerate.measure.functions.library import read_library
from linerate.measure.objects.calibrating.own_box import own_box
from linerate.measure.objects.test_run import NOTHING, RELOADS, UnderTest, time_on_each
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.named import loads_of
from linerate.models.objects import ObjectQuestion, answer_object, compare
from linerate.models.objects.accounts.by_frame import explain_frames
from linerate.models.objects.base import base_costs
from linerate.models.objects.comparison import PAIRS
from linerate.programs.costs import SOCKETS, VERDICTS, YARDSTICK
from linerate.programs.times import FrameTimes, ProgramTimes
from linerate.progress import Tell, telling
from linerate.units import frame_bytes_of

LAB = ("AF_XDP as it is measured here: a socket that copies, of the native hook, with need_wakeup; "
       "device and function share a core for each queue")  # fmt: skip


def fits_function(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    entry: str | None = None,
    traffic: str | os.PathLike[str] | int | None = None,
    against: str | os.PathLike[str] | None = None,
    box: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    offered_mpps: float | None = None,
    explained: bool = False,
    progress: bool = True,
) -> ObjectFits:
    """Say whether a shared object's function sustains line rate on AF_XDP sockets.

    It is run on the traffic's frames by a child without rights; no root is needed.

    Parameters
    ----------
    path
        The shared object, for this machine.
    entry
        Its function; may be left out where it exports one.
    traffic
        A frame size, ``imix``, a capture (pcap), or a list of frames (JSON); sizes of 64, 512 and
        1518 B apart where left out.
    against
        An older object with the same entry: both are timed in turn.
    box
        A calibrated box; this machine's own, calibrated when it is first asked, if left out.
        Without root the last calibration, or the shipped box that is nearest.
    link_gbps
        Link.
    queues
        Receive queues, each with a socket and a core; the fewest that do if left out.
    offered_mpps
        A load whose latency is asked about.
    explained
        Whether to say where the time goes, frame by frame.
    progress
        Whether to show a bar.

    Raises
    ------
    BadInputError
        A file that cannot be used, or a function that breaks.
    """
    paths = [Path(each) for each in (path, against) if each is not None]
    programs = [
        UnderTest(path=one, entry=read_library(one).entry(entry), settings=NOTHING,
                  datapath=SOCKETS)
        for one in paths
    ]  # fmt: skip
    loads = loads_of(traffic)
    with telling(shown=progress) as tell:
        used, other_machine, notes = _box(box, tell)
        base_costs(used, SOCKETS).asked(queues)  # refused before anything is run
        turns = RELOADS if against is None else PAIRS
        times = time_on_each(programs, loads, tell, turns)
    question = ObjectQuestion(datapath=SOCKETS, link_gbps=link_gbps, queues=queues,
                              offered_mpps=offered_mpps, other_machine=other_machine)  # fmt: skip
    answers = tuple(answer_object(each[0], used, question) for each in times)
    return ObjectFits(
        path=paths[0], entry=programs[0].entry, answers=answers,
        notes=(*notes, LAB, LATENCY),
        explanation=explain_frames(times[0][0], answers[0], used) if explained else None,
        comparisons=() if against is None else tuple(
            compare(new, old, answer, used, str(against))
            for (new, old), answer in zip(times, answers, strict=True)
        ),
    )  # fmt: skip


def fits_time(  # noqa: PLR0913 - one for each part of the question
    name: str,
    ns_per_packet: float,
    *,
    verdict: str = "tx",
    traffic: str | os.PathLike[str] | int | None = None,
    box: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    offered_mpps: float | None = None,
    progress: bool = True,
) -> ObjectFits:
    """Say the same of a function of which no more is known than its time.

    Parameters
    ----------
    name
        What to call it.
    ns_per_packet
        Its time for a packet, on this machine.
    verdict
        ``tx`` or ``drop``, of all packets.
    traffic, box, link_gbps, queues, offered_mpps, progress
        As for a function that is run.

    Raises
    ------
    BadInputError
        No such verdict, or no time.
    """
    if verdict not in VERDICTS[SOCKETS]:
        raise bad_input("verdict", verdict, why="no function on AF_XDP ends packets so",
                        allowed=", ".join(VERDICTS[SOCKETS]), do="name one of them")  # fmt: skip
    if not 0.0 <= ns_per_packet < float("inf"):
        raise bad_input("ns_per_packet", ns_per_packet, why="it is not a time of a packet",
                        allowed="0 and above", do="correct it")  # fmt: skip
    loads = loads_of(traffic)
    with telling(shown=progress) as tell:
        used, other_machine, notes = _box(box, tell)
    question = ObjectQuestion(datapath=SOCKETS, link_gbps=link_gbps, queues=queues,
                              offered_mpps=offered_mpps, other_machine=other_machine)  # fmt: skip
    return ObjectFits(
        path=Path(name), entry=name,
        answers=tuple(
            answer_object(_given(name, ns_per_packet, verdict, frames, used), used, question)
            for frames in loads
        ),
        notes=(*notes, f"not run: {ns_per_packet:g} ns a packet as given, for each frame", LAB,
               LATENCY),
    )  # fmt: skip


def _given(name: str, ns: float, verdict: str, frames: Frames, box: Box) -> ProgramTimes:
    """Make times as if each of two loads had taken exactly what is given."""
    if YARDSTICK not in box.costs:
        raise bad_input("box", box.name, why="it was never calibrated", allowed="a box that "
                        "linerate calibrate wrote", do="sudo linerate calibrate")  # fmt: skip
    return ProgramTimes(
        program=name, program_ns=(ns, ns), yardstick_ns=(box.costs[YARDSTICK].value_ns,) * 2,
        frames=tuple(
            FrameTimes(frame_bytes=int(frame_bytes_of(len(packet))), verdict=verdict,
                       share=weight / len(frames.order), program_ns=ns)
            for packet, weight in zip(frames.packets, frames.weights, strict=True)
        ),
    )  # fmt: skip


def _box(named: str | os.PathLike[str] | None, tell: Tell) -> tuple[Box, bool, tuple[str, ...]]:
    """Choose the box: the named one; as root this machine's own; else the best that there is."""
    if named is not None:
        return read_box(Path(named)), False, ()
    if os.geteuid():
        return any_box(None)
    own = own_box(tell)
    return own.box, False, (
        f"base costs of {own.path}, {own.measured}",
    )  # fmt: skip
