"""One trial of a filter: offer a load, and take what the filter's own counter says it dropped."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from linerate.cells import Cell
from linerate.measure.bench import Timing
from linerate.measure.datapaths.filter_rates import INTERVAL_S, packets_by_interval, sampled
from linerate.measure.datapaths.filters import DropCount, Filter
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames
from linerate.measure.labs.veth import VethLab
from linerate.measure.system.machine import cpu_ticks, steal_ratio
from linerate.records import Trial

COUNTED_BY = "dut_filter"
"""What ``forwarded_from`` says of these trials."""


def run_filter_trial(
    lab: VethLab, cell: Cell, under_test: Filter, timing: Timing, dut_threads: tuple[int, ...]
) -> Trial:
    """Send a cell's load through the filter once.

    Only the generator can tell a frame of the warm-up, so the warm-up is a load of its own: the
    counter is read when its last frame is through, and again when the last measured one is. What
    the generator sends in the moment before its clock starts is counted with the measured frames,
    yet never more than were sent and not lost on the way: where all match, that is exact.
    """
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    measured = Timing(warm_up_seconds=0.0, seconds=timing.seconds)
    if timing.warm_up_seconds:
        warm_up = replace(measured, seconds=timing.warm_up_seconds)
        send_live_frames(lab, cell, warm_up, dut_threads)
    ticks_before = cpu_ticks()
    with sampled(under_test.count, {*lab.generator_cores, *lab.dut_cores}) as looks:
        report = send_live_frames(lab, cell, measured, dut_threads)
    return _trial(
        report,
        looks.result(),
        under_test,
        steal=steal_ratio(ticks_before, cpu_ticks()) or 0.0,
        started_at=started_at,
    )


def _trial(
    report: TrafficReport,
    looks: list[DropCount],
    under_test: Filter,
    *,
    steal: float,
    started_at: str,
) -> Trial:
    # What XDP drops its driver counts too; to drop it is the filter's service, not a loss.
    lost = {place: packets for place, packets in report.dropped.items() if place != "dut_program"}
    counted = looks[-1].packets - looks[0].packets
    return Trial(
        duration_s=report.duration_ns / 1e9,
        intended_packets=report.intended,
        sent_packets=report.sent,
        forwarded_packets=max(0, min(counted, report.sent - sum(lost.values()))),
        forwarded_from=COUNTED_BY,
        dropped=lost,
        cpu_busy_ratios=_busy_ratios(report),
        contended_ratio=max(report.generator_wait_ns + report.dut_wait_ns) / report.duration_ns,
        program_ns=under_test.program_ns,
        memory_bytes=under_test.memory_bytes,
        rates=packets_by_interval(looks),
        rate_interval_s=INTERVAL_S,
        steal_ratio=steal,
        started_at=started_at,
    )


def _busy_ratios(report: TrafficReport) -> tuple[float, ...]:
    if report.dut_thread_ns:
        return tuple(min(1.0, run / report.duration_ns) for run in report.dut_thread_ns)
    return tuple(max(0.0, 1.0 - idle / report.duration_ns) for idle in report.generator_idle_ns)
