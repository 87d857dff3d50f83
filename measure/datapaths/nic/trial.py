"""One trial between two hosts: the far generator's counts, and the device's in the silences."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from linerate.cells import Cell
from linerate.measure.labs.device_times import DeviceTimes
from linerate.measure.labs.nic import NicLab, NicSite
from linerate.measure.processes.held import HeldProcess
from linerate.measure.remote.protocol import GeneratorReport, Histogram, Start
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import latency_of, stated
from linerate.records import Latency, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class NicDut:
    """A datapath on the device, up and ready."""

    program_hash: str
    run_trial: Callable[[Cell, Timing], Trial]
    """Offers a cell's load once."""
    processes: tuple[HeldProcess, ...] = ()
    """Of the datapath."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FarTrial:
    """What both hosts counted of one load."""

    report: GeneratorReport
    seen: DeviceTimes

    @property
    def duration_ns(self) -> int:
        """Time that the generator was sending."""
        return self.report.duration_ns

    @property
    def intended(self) -> int:
        """Packets that the load asks for."""
        return self.report.intended

    @property
    def sent(self) -> int:
        """Packets that left the generator."""
        return self.report.sent

    @property
    def received(self) -> int:
        """Packets that are back."""
        return self.report.received

    @property
    def dropped(self) -> dict[str, int]:
        """What the device's driver lost."""
        return {"dut_ring": self.seen.counts.rx_lost, "dut_tx": self.seen.counts.tx_lost}

    @property
    def latency(self) -> Histogram | None:
        """The generator's histogram."""
        return self.report.latency

    def trial(self) -> Trial:
        """State it, where every packet that came back was forwarded."""
        duration_ns = self.report.duration_ns
        stated_ = stated(
            self,
            cpu_busy_ratios=tuple(min(1.0, busy / duration_ns) for busy in self.seen.busy_ns()),
            wait_ns=self.seen.foreign_wait_ns(),
        )
        contended = max(self.report.contended_ratio, stated_.contended_ratio)
        return replace(
            stated_,
            latency=far_latency(self.report),
            contended_ratio=contended,
            remarks=self.report.remarks,
        )


def far_latency(report: GeneratorReport) -> Latency | None:
    """State a generator's histogram, and what stamped the packets."""
    latency = latency_of(report.latency)
    if latency is None or report.latency is None:
        return None
    return replace(latency, taken=report.latency.taken)


def send_far(
    lab: NicLab,
    cell: Cell,
    timing: Timing,
    threads: tuple[int, ...],
    beside: AbstractContextManager[object] | None = None,
) -> FarTrial:
    """Send once to warm up, then to count; the device is read in the silences around it.

    Parameters
    ----------
    lab, cell, timing
        Where, what and how long.
    threads
        Process ids of the device's threads, one of each core in turn.
    beside
        Entered in the silence before, left in the one after: what else is to be counted.
    """
    mac = lab.interface.mac if lab.addressed else ""
    warm_up(lab.site, cell, timing, mac)
    with beside or nullcontext():
        before = lab.look(threads)
        report = lab.site.generator.start(_start(cell, timing.seconds, mac))
        seen = lab.look(threads) - before
    return FarTrial(report=report, seen=seen)


def warm_up(site: NicSite, cell: Cell, timing: Timing, mac: str = "") -> None:
    """Send what is not counted."""
    if timing.warm_up_seconds:
        site.generator.start(_start(cell, timing.warm_up_seconds, mac))


def count_far(site: NicSite, cell: Cell, timing: Timing) -> GeneratorReport:
    """Send what is counted."""
    return site.generator.start(_start(cell, timing.seconds))


def _start(cell: Cell, seconds: float, mac: str = "") -> Start:
    return Start(load=cell.load, link_gbps=cell.link_gbps, seconds=seconds, destination_mac=mac)
