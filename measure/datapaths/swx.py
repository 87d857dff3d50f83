"""P4 programs on the SWX pipeline of DPDK, compiled, on lcores of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from linerate.cells import Cell, Load, PipelineSettings
from linerate.errors import bad_input
from linerate.measure import artifacts
from linerate.measure.bench import Bench, Timing
from linerate.measure.datapaths.swx_program import PipelineText, compile_program
from linerate.measure.datapaths.swx_runner import SwxReport, run_pipeline
from linerate.measure.labs.dpdk import place_lcores
from linerate.records import Latency, Trial

RUNNERS = ("swx_build", "swx_run")
BURST_PACKETS_MAX = 64
FRAME_BYTES_MAX = 1518

ProgramOf = Callable[[Cell], PipelineText]
"""Makes a cell's program: its pipeline and the entries of its tables."""


def settings_of(cell: Cell) -> PipelineSettings:
    """Read a cell's pipeline settings; where it names none, the usual ones."""
    return cell.pipeline or PipelineSettings()


def check_swx(cell: Cell, program_of: ProgramOf) -> None:
    """Refuse, before anything is measured, what no pipeline here can do; compile the program.

    Raises
    ------
    BadInputError
        More lcores than cores, packets that the port does not have, or a program that DPDK
        refuses.
    CannotHereError
        DPDK, its internal headers, a compiler or a runner is missing.
    """
    settings = settings_of(cell)
    for name in RUNNERS:
        artifacts.runner(name)
    place_lcores(settings, cell.queues)
    if not 1 <= settings.burst_packets <= BURST_PACKETS_MAX:
        raise bad_input(
            "burst_packets", settings.burst_packets, why="a port cannot take so many at once",
            allowed=f"1..{BURST_PACKETS_MAX}", do="correct it",
        )  # fmt: skip
    _check_load(cell.load, settings)
    compile_program(program_of(cell))


def _check_load(load: Load, settings: PipelineSettings) -> None:
    largest = max(size for _, size in load.frame_mix)
    if largest > FRAME_BYTES_MAX:
        raise bad_input(
            "frame_bytes", largest, why="the generator of DPDK's lab cannot send it (FCS counted)",
            allowed=f"64..{FRAME_BYTES_MAX}", do="choose a smaller size",
        )  # fmt: skip
    if load.packet.protocol != "udp" or load.packet.sources != 1 or load.pings_per_second:
        raise bad_input(
            "packet", load.packet, why="the generator of DPDK's lab sends UDP of one source",
            allowed="the usual packet, without pings", do="leave it out",
        )  # fmt: skip
    if settings.port == "net_null" and (
        math.isfinite(load.offered_mpps) or len(load.frame_mix) > 1
    ):
        raise bad_input(
            "port", "net_null", why="packets that come from nowhere have one size and no rate",
            allowed='offered_mpps = ["flood"] and a single frame_bytes',
            do='correct the load, or use port = "ring"',
        )  # fmt: skip
    if settings.port == "af_xdp":
        raise bad_input(
            "port", "af_xdp", why="DPDK's lab has no device of the kernel",
            allowed="net_null, ring, memif", do="use one of them",
        )  # fmt: skip


@contextmanager
def open_swx_bench(cell: Cell, program_of: ProgramOf) -> Iterator[Bench]:
    """Load a cell's program anew on its lcores.

    Raises
    ------
    BadInputError
        What `check_swx` refuses, or a table entry that the program does not take.
    CannotHereError
        DPDK or hugepages are missing.
    LinerateError
        Set-up failed.
    """
    check_swx(cell, program_of)
    program, settings = program_of(cell), settings_of(cell)
    flags = _null_flags(cell.load) if settings.port == "net_null" else ()
    with run_pipeline(program, settings, cell.queues, flags) as runner:

        def run(load: Load, timing: Timing) -> Trial:
            _check_load(load, settings)
            return trial_of(runner.trial(load_flags(load, timing)))

        yield Bench(program_hash=program.content_hash, run_trial=run)


def load_flags(load: Load, timing: Timing) -> list[str]:
    """Say by flags what the runner's generator sends, and how long."""
    slots = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    flags = [
        "--seconds", str(timing.seconds), "--warm-up-seconds", str(timing.warm_up_seconds),
        "--frame-bytes", ",".join(slots), "--flows", str(load.flows),
        "--arrivals", {"burst": "constant"}.get(load.arrivals, load.arrivals),
    ]  # fmt: skip
    if math.isfinite(load.offered_mpps):
        flags += ["--packets-per-second", str(round(load.offered_mpps * 1e6))]
    return [*flags, "--train-packets", str(load.burst_packets)]


def trial_of(report: SwxReport) -> Trial:
    """State what was counted; a busy core is one that did not look in vain."""
    return Trial(
        duration_s=report.duration_ns / 1e9,
        intended_packets=report.intended,
        sent_packets=report.sent,
        forwarded_packets=report.received,
        dropped=report.dropped,
        latency=_latency_of(report),
        cpu_busy_ratios=report.useful_ratios,
        contended_ratio=max(report.generator_wait_ns, *report.worker_wait_ns) / report.duration_ns,
    )


def _latency_of(report: SwxReport) -> Latency | None:
    if report.latency is None or not report.latency.buckets:
        return None
    return Latency(
        lower_ns=tuple(lower_ns for lower_ns, _ in report.latency.buckets),
        counts=tuple(count for _, count in report.latency.buckets),
        sum_ns=report.latency.sum_ns,
        max_ns=report.latency.max_ns,
    )


def _null_flags(load: Load) -> tuple[str, ...]:
    ((_, frame_bytes),) = load.frame_mix
    return ("--frame-bytes", str(frame_bytes), "--flows", str(load.flows))
