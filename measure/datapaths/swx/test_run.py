"""Test runs of a pipeline: each packet is the next frame of a user's traffic, as it came.

An lcore generates its packets itself and frees them. What writing a frame into its packet takes is
timed and taken off, for nobody does that behind a card. Looking at the clock takes some time, too:
what it makes of the pipeline that only receives and sends, which runs in turn.
"""

from __future__ import annotations

from contextlib import ExitStack
from math import isfinite
from statistics import median

from linerate.errors import LinerateError
from linerate.measure.collectors.alone import time_alone
from linerate.measure.collectors.sharing import watch_if_possible
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.runner import SwxReport, run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.objects.plan import frames_file
from linerate.measure.objects.traffic.capture import PACKET_BYTES_MAX
from linerate.measure.objects.traffic.frames import Frames
from linerate.progress import Tell

LOADS = 3
WARM_UP_SECONDS = 0.05
PACKET_NS = 100.0
"""What a packet takes, about: a trial has so many rounds of the traffic."""
_GENERATED = PipelineSettings(port="net_null")


def time_pipeline(program: PipelineText, frames: Frames, tell: Tell) -> tuple[float, ...]:
    """Load a pipeline several times, and time it on its traffic.

    Parameters
    ----------
    program
        What runs.
    frames
        Its traffic.
    tell
        Called before each load, and after the last.

    Returns
    -------
    Time of a packet on one lcore in each load, ns, as if nobody else used the core.

    Raises
    ------
    CannotHereError
        DPDK, its internal headers, the compiler or a runner is missing.
    DeviceFailedError
        DPDK or the compiler refuses the pipeline, or an entry of its tables.
    LinerateError
        Others used the core in all of them.
    """
    bare, rounds = text_of(SwxProgram(base="bare")), len(frames.order)
    tested_ns, replayed_ns, plain_ns = [], [], []
    with frames_file(frames) as path:
        replay = ("--frames", path, "--header-bytes", str(_header_bytes(program)))
        for load in range(LOADS):
            tell("test runs", load, LOADS)
            tested_ns.append(time_load(program, replay, rounds))
            replayed_ns.append(time_load(bare, replay, rounds))
            plain_ns.append(time_load(bare))
    tell("test runs", LOADS, LOADS)
    known = [[ns for ns in each if isfinite(ns)] for each in (tested_ns, replayed_ns, plain_ns)]
    if not all(known):
        raise LinerateError(f"swx: other processes used the core in all of {LOADS} test runs; ask "
                            "again when less runs, see linerate doctor")  # fmt: skip
    tested, replayed, plain = known
    timing_ns = median(replayed) - median(plain)
    return tuple(ns - timing_ns for ns in tested)


def time_load(program: PipelineText, flags: tuple[str, ...] = (), round_packets: int = 1) -> float:
    """Load a pipeline once, and time a packet of its own generated ones, or of those of flags.

    Parameters
    ----------
    program
        What runs.
    flags
        Further ones of the runner: whence its packets come.
    round_packets
        After so many they come again.

    Returns
    -------
    ns; nan if others leave no trial alone.
    """
    with ExitStack() as stack:
        runner = stack.enter_context(run_pipeline(program, _GENERATED, 1, flags))
        watch = stack.enter_context(watch_if_possible(runner.cores))

        def send(seconds: float) -> SwxReport:
            return runner.trial(["--seconds", str(seconds),
                                 "--warm-up-seconds", str(WARM_UP_SECONDS)])  # fmt: skip

        return time_alone(watch, send, PACKET_NS * round_packets)


def _header_bytes(program: PipelineText) -> int:
    """Bytes from a packet's begin that a pipeline can look at: those of all its headers."""
    spec = parse_spec(program.spec)
    bits = sum(sum(spec.structs[struct].values()) for struct in spec.headers.values())
    return min(PACKET_BYTES_MAX, max(14, bits // 8))
