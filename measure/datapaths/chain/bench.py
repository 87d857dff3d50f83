"""A chain of service functions with NSH under test: by echo requests, or by the generator's load.

An echo request goes through the chain, its answer straight back: the round-trip time is that of
the chain and one plain way. The generator's frames enter at the source, are classified there, and
go from the destination to the sink, stamped as in the veth lab's split mode.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from linerate.cells import Cell, Load
from linerate.errors import DeviceFailedError, bad_input
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.chain.counts import RunningChain, Threads, ThreadTime
from linerate.measure.datapaths.chain.lab import (
    DESTINATION_ADDRESS,
    SINK_DEVICE,
    check_chain,
    open_chain_lab,
)
from linerate.measure.datapaths.chain.settings import ChainSettings, settings_of
from linerate.measure.datapaths.chain.stages import chain_files, run_chain
from linerate.measure.generators.live_frames import TrafficReport, load_flags, run_traffic
from linerate.measure.generators.ping import Pings, send_pings
from linerate.measure.labs.veth import GENERATOR_DEVICE
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.measure.trials.trial import trial_of
from linerate.records import Ping, Trial

PROGRAMS = ("wire",)
"""What a function does: nothing, but for its service index."""
GENERATORS = ("live_frames", "ping")
_START_SECONDS = 0.05
"""A generator is up to speed after some 10 ms."""
_SETTLE_SECONDS = 0.01
_SETTLE_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What stood on the counters before a trial."""

    dropped: Counter[str]
    delivered: int

    @classmethod
    def take(cls, running: RunningChain) -> _Before:
        return cls(dropped=running.dropped(), delivered=running.delivered())

    def lost_since(self, running: RunningChain) -> dict[str, int]:
        """Packets lost since then, by place."""
        return {place: now - self.dropped[place] for place, now in running.dropped().items()}


def check_chain_cell(cell: Cell) -> None:
    """Refuse, before anything is measured, what the chain lab cannot run.

    Raises
    ------
    BadInputError
        A mode, a number of queues or a load that chains do not have.
    CannotHereError
        A runner or program is not built.
    """
    if cell.mode != "split":
        raise bad_input(
            "mode", cell.mode, why="the functions of a chain are processes of their own",
            allowed="split", do='use mode = "split"',
        )  # fmt: skip
    if cell.queues != 1:
        raise bad_input(
            "queues", cell.queues, why="each node of a chain has one", allowed="1", do="set it so"
        )
    if cell.load.generator not in GENERATORS:
        raise bad_input(
            "generator", cell.load.generator, why="the chain lab does not run it",
            allowed=", ".join(GENERATORS), do="name one of them",
        )  # fmt: skip
    if cell.load.packet.sources != 1:
        raise bad_input(
            "sources", cell.load.packet.sources, why="the classifier's rules name one source",
            allowed="1", do="set it so",
        )  # fmt: skip
    check_chain(settings_of(cell))
    built.runner("traffic")
    chain_files(settings_of(cell))


@contextmanager
def open_chain_bench(cell: Cell) -> Iterator[Bench]:
    """Build a chain, put every stage and function in place, and wait for loads.

    Raises
    ------
    BadInputError
        The chain lab cannot run the cell.
    LinerateError
        The kernel refused something, or a function ended.
    """
    check_chain_cell(cell)
    chain = settings_of(cell)
    with (
        open_chain_lab(chain) as lab,
        started(run_chain(lab, chain, cell.load.flows)) as running,
    ):
        threads = running.threads()

        def run(load: Load, timing: Timing) -> Trial:
            if load.generator == "ping":
                return ping_through(running, load, timing)
            return send_through(running, threads, replace(cell, load=load), timing)

        yield Bench(
            program_hash=_hash(chain), run_trial=run, processes=running.processes,
            probe_point=ProbePoint.of_lab(lab.traffic),
        )  # fmt: skip


def _hash(chain: ChainSettings) -> str:
    hashes = "".join(built.content_hash(path) for path in chain_files(chain))
    return hashlib.sha256(hashes.encode()).hexdigest()[:16]


def ping_through(running: RunningChain, load: Load, timing: Timing) -> Trial:
    """Let a trial be echo requests alone, from the generator's core.

    Raises
    ------
    LinerateError
        ping or a function ended.
    """

    def send(seconds: float) -> Ping:
        with _pinned_to(running.lab.traffic.generator_cores):
            return send_pings(
                running.lab.source.namespace, DESTINATION_ADDRESS,
                pings_per_second=load.pings_per_second, seconds=seconds,
            )  # fmt: skip

    if timing.warm_up_seconds:
        send(timing.warm_up_seconds)
    threads, before = running.threads(), _Before.take(running)
    began, began_s = _times(threads), time.monotonic()
    ping = send(timing.seconds)
    seconds = time.monotonic() - began_s  # ping is slower than its rate by the kernel's ticks
    times = [after - start for after, start in zip(_times(threads), began, strict=True)]
    _settle(running)
    return Trial(
        duration_s=seconds,
        intended_packets=ping.sent,
        sent_packets=ping.sent,
        forwarded_packets=ping.received,
        forwarded_from="ping",
        dropped=before.lost_since(running),
        contended_ratio=_contended_ratio(threads, times, seconds * 1e9),
        ping=ping,
    )


@contextmanager
def _pinned_to(cores: Collection[int]) -> Iterator[None]:
    """Let processes that are started here run on some cores only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def send_through(running: RunningChain, threads: Threads, cell: Cell, timing: Timing) -> Trial:
    """Offer the generator's load, with echo requests beside it if it has any.

    No stage or socket can tell the frames of a warm-up from measured ones, so the warm-up is a load
    of its own, and nothing moves any more when the counters are read. What the generator sends
    until it is up to speed is stopped at the entry.

    Raises
    ------
    LinerateError
        The generator or a function ended.
    """
    measured = Timing(warm_up_seconds=_START_SECONDS, seconds=timing.seconds)
    if timing.warm_up_seconds:
        warm_up = Timing(warm_up_seconds=0.0, seconds=timing.warm_up_seconds)
        _send(running, threads, cell, warm_up, None)
    before = _Before.take(running)
    pings = _pings_beside(running, cell.load, timing)
    report = _send(running, threads, cell, measured, pings)
    dropped = before.lost_since(running)
    # In overload a socket may hold its packets for longer than the sink waits for them.
    dropped["late"] = max(0, running.delivered() - before.delivered - report.received)
    times = tuple(map(ThreadTime, report.dut_thread_ns, report.dut_wait_ns))
    return replace(
        trial_of(report),
        dropped=dict(report.dropped) | dropped,
        cpu_busy_ratios=_busy_ratios(threads, times, report.duration_ns),
        contended_ratio=max(
            max(*report.generator_wait_ns, report.held_up_ns) / report.duration_ns,
            _contended_ratio(threads, times, report.duration_ns),
        ),
        ping=pings.answer() if pings else None,
    )


def _pings_beside(running: RunningChain, load: Load, timing: Timing) -> Pings | None:
    if not load.pings_per_second:
        return None
    return Pings(
        namespace=running.lab.source.namespace,
        destination=DESTINATION_ADDRESS,
        pings_per_second=load.pings_per_second,
        seconds=timing.seconds,
    )


def _send(
    running: RunningChain,
    threads: Threads,
    cell: Cell,
    timing: Timing,
    window: Pings | None,
) -> TrafficReport:
    traffic = running.lab.traffic
    flags = [
        "--dev", GENERATOR_DEVICE, "--sink-dev", SINK_DEVICE,
        "--dut-dev", traffic.dut_device, "--dut-netns", traffic.dut.path,
        "--dut-threads", ",".join(str(thread) for _, thread in threads),
        *load_flags(cell, timing),
    ]  # fmt: skip
    report = run_traffic(traffic.generator, flags, timing, window)
    _settle(running)
    return report


def _settle(running: RunningChain) -> None:
    """Wait until no packet moves in the chain, so that none is counted in the next trial."""
    for _ in range(_SETTLE_STEPS):
        before = running.moved()
        time.sleep(_SETTLE_SECONDS)
        if running.moved() == before:
            return
    raise DeviceFailedError(
        f"chain: packets still move {_SETTLE_STEPS * _SETTLE_SECONDS:.0f} s after the load ended; "
        "does a path lead in a circle?"
    )


def _times(threads: Threads) -> list[ThreadTime]:
    return [ThreadTime.of(thread) for _, thread in threads]


def _contended_ratio(threads: Threads, times: Sequence[ThreadTime], duration_ns: float) -> float:
    """Largest share of time that a thread of the chain waited for others than the chain's own.

    Functions on one core take turns; a thread that waited for longer than these ran did not wait
    for them alone.
    """
    run_ns = _run_ns(threads, times)
    foreign_ns = (
        taken.wait_ns - (run_ns[core] - taken.run_ns)
        for (core, _), taken in zip(threads, times, strict=True)
    )
    return max(0, *foreign_ns) / duration_ns


def _busy_ratios(
    threads: Threads, times: Sequence[ThreadTime], duration_ns: float
) -> tuple[float, ...]:
    """Busy share of each core of the chain."""
    run_ns = _run_ns(threads, times)
    return tuple(min(1.0, run_ns[core] / duration_ns) for core in sorted(run_ns))


def _run_ns(threads: Threads, times: Sequence[ThreadTime]) -> Counter[int]:
    """Run time of the chain's threads by core."""
    run_ns: Counter[int] = Counter()
    for (core, _), taken in zip(threads, times, strict=True):
        run_ns[core] += taken.run_ns
    return run_ns
