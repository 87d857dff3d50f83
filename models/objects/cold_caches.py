"""What packets that pass take more because the stack's work empties caches for the program."""

from __future__ import annotations

from math import exp

from linerate.programs.costs import TAKES_BURSTS
from linerate.programs.times import ProgramTimes

CODE_NS, CODE_SCALE_NS = 14.0, 50.0
"""What a long program takes more, and the time of a program from which on it counts as long."""
FRAMES_NS, FRAMES_MANY = 17.0, 1000
"""What is taken more where so many frames of the traffic differ."""
DEVIATION_NS = 9.0
"""Standard deviation of both together from what programs took."""


def cold_caches_ns(times: ProgramTimes, program_ns: float, datapath: str) -> tuple[float, float]:
    """Say what the stack's work makes dearer on a hook that takes bursts.

    A driver runs the program on a burst and then gives the stack those that pass. By the next burst
    the program's code, and what it keeps of each flow, have left the caches that are nearest. In
    test runs nothing comes between. Constants: least squares over 13 programs at 1, 64 and 1000
    different frames (docs/models/objects/packet-end.md).

    Parameters
    ----------
    times
        Of a program on its traffic.
    program_ns
        What it takes on one core, mean over the traffic.
    datapath
        Hooks that take one packet at a time leave it at 0: there no such difference was found.

    Returns
    -------
    Time and its standard deviation, ns a packet, mean over the traffic.

    >>> from linerate.programs.times import FrameTimes
    >>> one = FrameTimes(frame_bytes=64, share=0.5, verdict="pass", program_ns=50.0)
    >>> other = FrameTimes(frame_bytes=64, share=0.5, verdict="drop", program_ns=50.0)
    >>> times = ProgramTimes(program="p", program_ns=(50.0,), yardstick_ns=(100.0,),
    ...                      frames=(one, other))
    >>> [round(each, 2) for each in cold_caches_ns(times, 50.0, "xdp_native")]
    [4.43, 4.5]
    """
    share = times.verdict_shares().get("pass", 0.0)
    if datapath not in TAKES_BURSTS or not share:
        return 0.0, 0.0
    code_ns = CODE_NS * (1.0 - exp(-program_ns / CODE_SCALE_NS))
    frames_ns = FRAMES_NS * min((len(times.frames) - 1) / FRAMES_MANY, 1.0)
    return share * (code_ns + frames_ns), share * DEVIATION_NS
