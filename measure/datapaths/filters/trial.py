"""One trial of a filter: offer a load, and take what the filter's own counter says it dropped."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from linerate.cells import Cell
from linerate.measure.datapaths.filters.filter import Filter
from linerate.measure.datapaths.filters.lab import DUT
from linerate.measure.datapaths.filters.rates import INTERVAL_S, Looks
from linerate.measure.generators.external.hping3 import Hping3
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames
from linerate.measure.generators.ping import Pings
from linerate.measure.labs.veth import VethLab
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import trial_of
from linerate.records import Trial

COUNTED_BY = "dut_filter"
"""What ``forwarded_from`` says of these trials."""
_DUT_ADDRESS = DUT.address.split("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterDut:
    """A device under test that filters."""

    lab: VethLab
    under_test: Filter
    threads: tuple[int, ...]
    """Process ids of its NAPI threads; empty in serial mode."""


def run_filter_trial(dut: FilterDut, cell: Cell, timing: Timing) -> Trial:
    """Send a cell's load through the filter once."""
    cores = {*dut.lab.generator_cores, *dut.lab.dut_cores}
    looks = Looks(count=dut.under_test.count, busy_cores=cores)
    pings = _pings_beside(dut, cell, timing)
    send = _send_hping3 if cell.load.generator == "hping3" else _send_live_frames
    report = send(dut, cell, timing, looks, pings)
    return replace(
        all_dropped(trial_of(report), looks.packets()),
        program_ns=dut.under_test.program_ns,
        memory_bytes=dut.under_test.memory_bytes,
        rates=looks.packets_by_interval(report.duration_ns),
        rate_interval_s=INTERVAL_S,
        ping=pings.answer() if pings else None,
    )


def _pings_beside(dut: FilterDut, cell: Cell, timing: Timing) -> Pings | None:
    if not cell.load.pings_per_second:
        return None
    return Pings(
        namespace=dut.lab.generator,
        destination=_DUT_ADDRESS,
        pings_per_second=cell.load.pings_per_second,
        seconds=timing.seconds,
    )


def _send_live_frames(
    dut: FilterDut, cell: Cell, timing: Timing, looks: Looks, pings: Pings | None
) -> TrafficReport:
    """Let the warm-up be a load of its own, for only the generator can tell its frames.

    The counter is read when the warm-up's last frame is through, and again when the last measured
    one is. What is sent in the moment before the generator's clock starts is counted too.
    """
    measured = replace(timing, warm_up_seconds=0.0)
    if timing.warm_up_seconds:
        warm_up = replace(measured, seconds=timing.warm_up_seconds)
        send_live_frames(dut.lab, cell, warm_up, dut.threads)
    with looks:
        return send_live_frames(dut.lab, cell, measured, dut.threads, _beside(dut, looks, pings))


def _send_hping3(
    dut: FilterDut, cell: Cell, timing: Timing, looks: Looks, pings: Pings | None
) -> TrafficReport:
    """Read the counter beside those of the sending device, which count no better than it does."""
    hping3 = Hping3(destination=_DUT_ADDRESS)
    return hping3.send(dut.lab, cell, timing, dut.threads, _counted(dut, looks, pings))


@contextmanager
def _counted(dut: FilterDut, looks: Looks, pings: Pings | None) -> Iterator[None]:
    with looks, _beside(dut, looks, pings):
        yield


@contextmanager
def _beside(dut: FilterDut, looks: Looks, pings: Pings | None) -> Iterator[None]:
    with ExitStack() as stack:
        if pings:
            with _started_on(dut.lab.generator_cores if dut.lab.mode == "serial" else ()):
                stack.enter_context(pings)
        # The last answers are waited for when the load is over.
        stack.enter_context(looks.during_load())
        yield


@contextmanager
def _started_on(cores: Collection[int]) -> Iterator[None]:
    """Have what is started meanwhile run on some cores only; on any if none is named.

    Without a thread of its own a queue of the device is served where its packets are sent: a
    request from another core would draw the whole load after it.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def all_dropped(trial: Trial, counted_packets: int) -> Trial:
    """Count as forwarded what the filter dropped: that is its service, not a loss.

    Frames that were sent before the generator's clock started, and echo requests, raise the
    filter's count, but never above what was sent and not lost on the way: where every frame
    matches, that is exact.
    """
    # What XDP drops its driver counts too.
    lost = {place: packets for place, packets in trial.dropped.items() if place != "dut_program"}
    come_packets = max(0, trial.sent_packets - sum(lost.values()))
    return replace(
        trial,
        forwarded_packets=min(counted_packets, come_packets),
        forwarded_from=COUNTED_BY,
        dropped=lost,
        latency=None,
    )
