"""One trial in the veth lab: offer a load, count, and state what was counted."""

from __future__ import annotations

from datetime import UTC, datetime

from linerate.cells import Cell
from linerate.measure.bench import Timing
from linerate.measure.datapaths.xdp import DROPPING_PROGRAMS, AttachedProgram
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames
from linerate.measure.labs.veth import VethLab
from linerate.measure.system.machine import cpu_ticks, steal_ratio
from linerate.records import Latency, Trial


def run_trial(lab: VethLab, cell: Cell, program: AttachedProgram, timing: Timing) -> Trial:
    """Send the cell's load through the attached program once."""
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    ticks_before = cpu_ticks()
    report = send_live_frames(lab, cell, timing, program.dut_threads)
    return _trial(
        report,
        drops_all=cell.program in DROPPING_PROGRAMS,
        program_ns=program.program_ns,
        steal=steal_ratio(ticks_before, cpu_ticks()) or 0.0,
        started_at=started_at,
    )


def _trial(
    report: TrafficReport, *, drops_all: bool, program_ns: float, steal: float, started_at: str
) -> Trial:
    dropped = dict(report.dropped)
    forwarded = report.received
    if drops_all:
        # What the program did with a packet is to drop it: that is its service, not a loss.
        forwarded = min(dropped.pop("dut_program"), report.sent)
    return Trial(
        duration_s=report.duration_ns / 1e9,
        intended_packets=report.intended,
        sent_packets=report.sent,
        forwarded_packets=forwarded,
        forwarded_from="dut_xdp_drops" if drops_all else "sink",
        dropped=dropped,
        latency=latency_of(report),
        cpu_busy_ratios=_busy_ratios(report),
        contended_ratio=max(report.generator_wait_ns + report.dut_wait_ns) / report.duration_ns,
        program_ns=program_ns,
        steal_ratio=steal,
        started_at=started_at,
    )


def _busy_ratios(report: TrafficReport) -> tuple[float, ...]:
    if report.dut_thread_ns:
        return tuple(min(1.0, run / report.duration_ns) for run in report.dut_thread_ns)
    return tuple(max(0.0, 1.0 - idle / report.duration_ns) for idle in report.generator_idle_ns)


def latency_of(report: TrafficReport) -> Latency | None:
    """State the sink's histogram; None where nothing was stamped."""
    if report.latency is None or not report.latency.buckets:
        return None
    return Latency(
        lower_ns=tuple(lower_ns for lower_ns, _ in report.latency.buckets),
        counts=tuple(count for _, count in report.latency.buckets),
        sum_ns=report.latency.sum_ns,
        max_ns=report.latency.max_ns,
    )
