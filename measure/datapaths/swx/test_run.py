"""Test runs of a pipeline: each packet is the next frame of a user's traffic, as it came.

An lcore generates its packets itself and frees them. What writing a frame into its packet takes is
timed and taken off, for nobody does that behind a card. Looking at the clock takes some time, too:
what it makes of the pipeline that only receives and sends, which runs in turn.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import isfinite, nan
from pathlib import Path
from statistics import fmean, median

from linerate.errors import LinerateError
from linerate.measure.collectors.sharing import sent_beside, watch_if_possible
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.runner import SwxReport, SwxRunner, run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.objects.plan import frame_lines
from linerate.measure.objects.traffic.capture import PACKET_BYTES_MAX
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.trials.bench import Timing
from linerate.progress import Tell
from linerate.stretches import ALONE_RATIO, undisturbed_ns

LOADS = 3
WARM_UP_SECONDS, SECONDS_MIN, SECONDS_MAX, ROUNDS = 0.05, 0.2, 25.0, 60
"""Of a trial: at least so many rounds of the traffic, if a packet takes ``PACKET_NS``; four times
as long again where that is too short to be timed by stretches."""
PACKET_NS = 100.0
TRIES = 5
"""Trials of a load, until others leave one of them alone, if only for a while. A trial beside which
nobody is seen counts as it is."""
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
    with _frames_file(frames) as path:
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
    seconds = max(SECONDS_MIN, ROUNDS * round_packets * PACKET_NS * 1e-9)
    with ExitStack() as stack:
        runner = stack.enter_context(run_pipeline(program, _GENERATED, 1, flags))
        watch = stack.enter_context(watch_if_possible(runner.cores))
        for _ in range(TRIES):
            timing = Timing(warm_up_seconds=WARM_UP_SECONDS, seconds=seconds)
            report, slowed = sent_beside(watch, partial(_trial, runner, timing))
            (quantiles_ns,) = report.stretches_ns
            if not quantiles_ns:
                seconds = min(SECONDS_MAX, 4.0 * seconds)
                continue
            counted_ns = fmean(quantiles_ns)
            if slowed < ALONE_RATIO:
                return counted_ns
            alone_ns = undisturbed_ns(quantiles_ns)
            if isfinite(alone_ns):
                return max(alone_ns, counted_ns / slowed)
    return nan


def _trial(runner: SwxRunner, timing: Timing) -> SwxReport:
    return runner.trial(["--seconds", str(timing.seconds),
                         "--warm-up-seconds", str(timing.warm_up_seconds)])  # fmt: skip


def _header_bytes(program: PipelineText) -> int:
    """Bytes from a packet's begin that a pipeline can look at: those of all its headers."""
    spec = parse_spec(program.spec)
    bits = sum(sum(spec.structs[struct].values()) for struct in spec.headers.values())
    return min(PACKET_BYTES_MAX, max(14, bits // 8))


@contextmanager
def _frames_file(frames: Frames) -> Iterator[str]:
    """Write frames where the runner reads them, and nothing stays if both are killed."""
    fd = os.memfd_create("linerate-frames")
    try:
        path = f"/proc/{os.getpid()}/fd/{fd}"
        Path(path).write_text("".join(f"{line}\n" for line in frame_lines(frames)))
        yield path
    finally:
        os.close(fd)
