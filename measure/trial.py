"""From what a generator reports to what a trial states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from linerate.cells import Load
from linerate.measure.bench import Timing
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.system.machine import cpu_ticks, steal_ratio
from linerate.records import Latency, Trial

RunTrial = Callable[[Load, Timing], Trial]


def trial_of(report: TrafficReport) -> Trial:
    """State what was counted where every packet that came back was forwarded."""
    return Trial(
        duration_s=report.duration_ns / 1e9,
        intended_packets=report.intended,
        sent_packets=report.sent,
        forwarded_packets=report.received,
        dropped=report.dropped,
        latency=latency_of(report),
        cpu_busy_ratios=busy_ratios(report),
        contended_ratio=max(report.generator_wait_ns + report.dut_wait_ns) / report.duration_ns,
    )


def busy_ratios(report: TrafficReport) -> tuple[float, ...]:
    """Busy share of each core: of the device's threads, or all but the generator's idling."""
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


def watched(run_trial: RunTrial) -> RunTrial:
    """Note of each trial when it began, and how much CPU time the hypervisor took meanwhile."""

    def run(load: Load, timing: Timing) -> Trial:
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        ticks_before = cpu_ticks()
        trial = run_trial(load, timing)
        return replace(
            trial, started_at=started_at, steal_ratio=steal_ratio(ticks_before, cpu_ticks()) or 0.0
        )

    return run
