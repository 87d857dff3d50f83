"""From what a generator reports to what a trial states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic, time
from typing import Protocol

from linerate.cells import Load
from linerate.errors import DeviceFailedError
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.processes.held import HeldProcess
from linerate.measure.system.machine import cpu_ticks, steal_ratio
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.device import check_alive
from linerate.records import Latency, Trial

RunTrial = Callable[[Load, Timing], Trial]
CLOCK_SET_S = 0.1
"""Clocks that differ by more than this after a trial than before did not drift: one was set."""


class Stamped(Protocol):
    """Latencies that a generator took, as its histogram has them."""

    @property
    def sum_ns(self) -> int:
        """Sum of all of them."""
        ...

    @property
    def max_ns(self) -> int:
        """Longest of them."""
        ...

    @property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Pairs (lower bound in ns, packets), ascending."""
        ...


class Counts(Protocol):
    """What every generator reports of its measured window."""

    @property
    def duration_ns(self) -> int:
        """Length of the window."""
        ...

    @property
    def intended(self) -> int:
        """Packets that the load asks for."""
        ...

    @property
    def sent(self) -> int:
        """Packets that left the generator."""
        ...

    @property
    def received(self) -> int:
        """Packets that are back."""
        ...

    @property
    def dropped(self) -> Mapping[str, int]:
        """Lost packets by place."""
        ...

    @property
    def latency(self) -> Stamped | None:
        """The sink's histogram; None where nothing was stamped."""
        ...


def trial_of(report: TrafficReport) -> Trial:
    """State what was counted where every packet that came back was forwarded."""
    wait_ns = max(*report.generator_wait_ns, *report.dut_wait_ns, report.held_up_ns)
    trial = stated(report, cpu_busy_ratios=busy_ratios(report), wait_ns=wait_ns)
    return replace(trial, began_ns=report.began_ns, stretches_ns=report.stretches_ns)


def stated(counts: Counts, *, cpu_busy_ratios: tuple[float, ...], wait_ns: int) -> Trial:
    """State what was counted.

    Parameters
    ----------
    counts
        By the generator and its sink.
    cpu_busy_ratios
        Of each core.
    wait_ns
        Longest that a thread of the lab was ready while another held its core.

    Raises
    ------
    DeviceFailedError
        More packets are back than were sent.
    """
    try:
        return Trial(
            duration_s=counts.duration_ns / 1e9,
            intended_packets=counts.intended,
            sent_packets=counts.sent,
            forwarded_packets=counts.received,
            dropped=dict(counts.dropped),
            latency=latency_of(counts.latency),
            cpu_busy_ratios=cpu_busy_ratios,
            contended_ratio=min(1.0, wait_ns / counts.duration_ns),  # a wait may have begun before
        )
    except ValueError as error:  # such as two packets back for each that was sent
        raise DeviceFailedError(f"what was counted cannot be: {error}") from error


def lost_at_socket(dropped: Mapping[str, int], packets: int) -> dict[str, int]:
    """Tell packets that no socket took from those that found the device's ring full.

    On the native hook the driver counts both as lost in its own receive path.
    """
    at_ring = max(0, dropped["dut_ring"] - packets)
    return {**dropped, "dut_ring": at_ring, "dut_socket": packets}


def busy_ratios(report: TrafficReport) -> tuple[float, ...]:
    """Busy share of each core: of the device's threads, or all but the generator's idling."""
    if report.dut_thread_ns:
        return tuple(min(1.0, run / report.duration_ns) for run in report.dut_thread_ns)
    return tuple(max(0.0, 1.0 - idle / report.duration_ns) for idle in report.generator_idle_ns)


def latency_of(counts: Stamped | None) -> Latency | None:
    """State the sink's histogram; None where nothing was stamped."""
    if counts is None or not counts.buckets:
        return None
    return Latency(
        lower_ns=tuple(lower_ns for lower_ns, _ in counts.buckets),
        counts=tuple(packets for _, packets in counts.buckets),
        sum_ns=counts.sum_ns,
        max_ns=counts.max_ns,
    )


def watched(run_trial: RunTrial, processes: Sequence[HeldProcess] = ()) -> RunTrial:
    """Note of each trial when it began, and how much CPU time the hypervisor took meanwhile.

    Parameters
    ----------
    run_trial
        Runs a trial.
    processes
        Of the device under test; a trial is not a trial if one of them ended meanwhile.
    """

    def run(load: Load, timing: Timing) -> Trial:
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        ticks_before, ahead_s = cpu_ticks(), time() - monotonic()
        trial = run_trial(load, timing)
        check_alive(processes)
        return replace(
            trial, started_at=started_at, steal_ratio=steal_ratio(ticks_before, cpu_ticks()) or 0.0,
            remarks=(*trial.remarks, *_clock_set(trial, time() - monotonic() - ahead_s)),
        )  # fmt: skip

    return run


def _clock_set(trial: Trial, stepped_s: float) -> tuple[str, ...]:
    """Say where the clock was set by which ping takes its times; nothing else is timed by it."""
    if trial.ping is None or abs(stepped_s) < CLOCK_SET_S:
        return ()
    way = "forwards" if stepped_s > 0 else "back"
    return (f"the clock was set {way} by {abs(stepped_s):.3g} s, and ping takes its times by it",)
