"""One trial of AF_XDP sockets: offer a load, count at both ends and at the sockets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from linerate.cells import Cell
from linerate.errors import DeviceFailedError
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames
from linerate.measure.generators.partner import Partner
from linerate.measure.labs.cpu_times import unexplained_wait_ns
from linerate.measure.labs.places import places_of
from linerate.measure.labs.veth import VethLab
from linerate.measure.processes.held import HeldProcess
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import busy_ratios, lost_at_socket, trial_of
from linerate.records import Trial

_TICKS_NS = 8_000_000
"""How long a forwarder ran is counted by ticks of 4 ms; less than two are nobody's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketCounts:
    """What the forwarder counted since it began, all sockets together."""

    received: int
    """Packets taken from the sockets."""
    sent: int
    """Packets that the kernel gave back as sent."""
    ended: int
    """Packets that a function of the user's did not send."""
    aborted: int
    """Of ``ended``: for another verdict than drop."""
    passed: int
    """Packets of queues without a socket, left to the stack."""
    rx_dropped: int
    """Packets that found no free frame."""
    rx_ring_full: int
    fill_ring_empty: int
    """Times that the kernel found no free frame."""
    rx_invalid: int
    tx_invalid: int
    device_tx_dropped: int
    """Packets that the device did not send."""
    polling_sockets: int
    """Sockets that know by now which NAPI to poll."""

    def __sub__(self, earlier: SocketCounts) -> SocketCounts:
        """Count what came between two looks."""
        return SocketCounts(
            **{name: getattr(self, name) - getattr(earlier, name) for name in self.__slots__}
        )

    def check_polled(self) -> None:
        """Refuse to call it busy polling when no socket can.

        An older kernel tells a socket which NAPI to poll with its first packet; a newer one when
        it is bound, if the driver said so, and veth's does not (seen on 6.18).
        """
        if self.received and not self.polling_sockets:
            raise DeviceFailedError(
                "busy_poll=true: this kernel's driver does not tell a socket which NAPI to poll, "
                "so that frames come by interrupt all the same; set busy_poll = false"
            )


_COUNTS = TypeAdapter(SocketCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarder:
    """A forwarder that is up: its threads, and how to ask it."""

    threads: tuple[int, ...]
    """Process ids of the threads that serve the sockets, by queue."""
    napi_threads: tuple[int, ...]
    """Those of the device's NAPI threads; empty in serial mode."""
    settings: SocketSettings
    partner: Partner
    runner: HeldProcess
    """Its process: it answers each mark with a line of counts."""

    def read_counts(self) -> SocketCounts:
        """Read the answer to the next mark."""
        return self.runner.parse(_COUNTS, self.runner.answer())


def run_af_xdp_trial(lab: VethLab, cell: Cell, forwarder: Forwarder, timing: Timing) -> Trial:
    """Send the cell's load through the sockets once."""
    threads = (*forwarder.napi_threads, *forwarder.threads)
    report = send_live_frames(lab, cell, timing, threads, forwarder.partner)
    begin, end = forwarder.read_counts(), forwarder.read_counts()
    if forwarder.settings.busy_poll:
        end.check_polled()
    return replace(
        trial_of(report),
        dropped=dropped_by(report.dropped, end - begin, forwarder.settings.hook),
        cpu_busy_ratios=busy_ratios_of(report, forwarder),
        contended_ratio=min(
            1.0, foreign_wait_ns(report, forwarder.napi_threads) / report.duration_ns
        ),
        user_threads=places_of(forwarder.threads),
    )


def dropped_by(dropped: Mapping[str, int], counts: SocketCounts, hook: str) -> dict[str, int]:
    """Tell by place what the driver lost and what the sockets did."""
    at_socket = counts.rx_dropped + counts.rx_ring_full
    if hook == "native":
        lost = lost_at_socket(dropped, at_socket)
    else:
        lost = {**dropped, "dut_socket": at_socket}
    lost["dut_stack"] = counts.passed
    lost["dut_tx"] += counts.device_tx_dropped + counts.tx_invalid
    return lost


def busy_ratios_of(report: TrafficReport, forwarder: Forwarder) -> tuple[float, ...]:
    """Busy share of each queue's core: NAPI and the socket's thread, which share it."""
    if not forwarder.napi_threads:
        return busy_ratios(replace(report, dut_thread_ns=()))
    return tuple(
        min(1.0, sum(runs) / report.duration_ns)
        for runs in _by_core(report, forwarder.napi_threads)
    )


def _by_core(report: TrafficReport, napi_threads: Sequence[int]) -> list[list[int]]:
    """Run times of the device's own threads, core by core."""
    cores = [[run] for run in report.dut_thread_ns[: len(napi_threads)]]
    cores = cores or [[run] for run in report.generator_run_ns]
    for core, run in zip(cores, report.dut_thread_ns[len(napi_threads) :], strict=False):
        core.append(run)
    return cores


def foreign_wait_ns(report: TrafficReport, napi_threads: Sequence[int]) -> int:
    """Longest that a thread was ready while none of the lab's had its core.

    Parameters
    ----------
    report
        Of the trial; its device's threads are those that poll the device, then the forwarder's.
    napi_threads
        Those that poll; none in serial mode.
    """
    if not napi_threads:
        return max(_lacking_ns(report), report.held_up_ns)
    napi = len(napi_threads)
    waits = [[wait] for wait in report.dut_wait_ns[:napi]]
    for core, wait in zip(waits, report.dut_wait_ns[napi:], strict=False):
        core.append(wait)
    unexplained = unexplained_wait_ns(_by_core(report, napi_threads), waits)
    return max(unexplained, *report.generator_wait_ns, report.held_up_ns)


def _lacking_ns(report: TrafficReport) -> int:
    """Longest that a core lacked to the generator and the forwarder, who hand frames to and fro.

    One of them wants it all the time, but where a frame was lost; then it is idle.
    """
    cores = zip(_by_core(report, ()), report.core_idle_ns, strict=True)
    lacking = max(report.duration_ns - sum(runs) - idle for runs, idle in cores)
    return lacking if lacking > _TICKS_NS else 0
