"""Test runs of a chain that is asked about: flooded with frames of each size, and at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from statistics import fmean, median

from linerate.cells import Cell, Load
from linerate.errors import LinerateError
from linerate.measure.collectors.led_back import LedBack, TrialBeside, led_back
from linerate.measure.collectors.sharing import (
    CoreLook,
    SharingWatch,
    counts_of,
    shared_ratio,
    watch_if_possible,
)
from linerate.measure.datapaths.chain.bench import ping_through, send_through
from linerate.measure.datapaths.chain.counts import RunningChain
from linerate.measure.datapaths.chain.lab import open_chain_lab
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.chain.stages import run_chain
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.device import started
from linerate.progress import Tell

LOADS = 3
TRIALS_MIN, TRIALS_MAX = 3, 5
"""Of a load and size: as many as tell what others take, where they come and go meanwhile."""
QUIET_SHARE = 0.02
"""Of looks that saw others, below which there is nothing to be seen."""
_FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=inf)
_FLOOD_SECONDS_MIN, _FLOOD_SECONDS_MAX = 0.2, 2.0
_PACKETS_THROUGH = 5000
"""That a trial is to have time for: several times what the queues of a chain in tc hold."""
_UNWATCHED_NS = 20_000
"""What functions do from which on nobody looks whether others use the cores: this they do by the
clock, whoever is there, and a look ends the kernel's rounds, so that a packet took longer by a
quarter (eight functions of 4 us in tc) to a half (four of 20 us)."""
_PINGS = replace(_FLOOD, generator="ping", pings_per_second=100.0)
_PINGED = Timing(warm_up_seconds=0.1, seconds=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRun:
    """What came of a chain's loads."""

    took: Mapping[int, LedBack]
    """By frame size the time of a packet in each load when more is offered, as if nobody else used
    the cores."""
    rtts_us: tuple[float, ...]
    """Of each load the median round trip of echoes that find all queues empty; of those loads where
    some came back."""
    cores: int
    """That carried the packets."""
    shared_ratio: float
    """Share of looks at these that saw others, 0 to 1; nan where nobody looked."""
    contended_ratio: float
    """Share of the time for which other processes held one of them."""


def time_chain(
    chain: ChainSettings, works_ns: Sequence[int], sizes: Sequence[int], tell: Tell
) -> ChainRun:
    """Build a chain several times, and time it.

    Parameters
    ----------
    chain, works_ns
        What runs, and what each function takes itself with a packet, ns.
    sizes
        Of the frames, B with FCS, before NSH is put on.
    tell
        Called before each size of a load, and after the last.

    Raises
    ------
    BadInputError
        The lab cannot build it: too long, or no core for its functions.
    CannotHereError
        A runner, a program or rights are missing.
    LinerateError
        The kernel refused something, or nothing came through.
    """
    found: dict[int, list[list[_Flood]]] = {size: [] for size in sizes}
    rtts_us, cores = [], set[int]()
    for load in range(LOADS):
        with ExitStack() as stack:
            lab = stack.enter_context(open_chain_lab(chain))
            running = stack.enter_context(started(run_chain(lab, chain, 1, works_ns)))
            cores = {core for core, _ in running.threads()}
            is_watched = sum(works_ns) < _UNWATCHED_NS
            watch = stack.enter_context(watch_if_possible(cores)) if is_watched else None
            for place, size in enumerate(sizes):
                tell("test runs", load * len(sizes) + place, LOADS * len(sizes))
                found[size].append(_flooded(running, size, _timing(works_ns), watch))
            rtts_us.append(_rtt_us(running))
    tell("test runs", LOADS * len(sizes), LOADS * len(sizes))
    # Functions that share a core wait for the clock one after the other.
    steady_ns = float(sum(works_ns) if len(cores) == 1 else max(works_ns, default=0))
    every = [flood for loads in found.values() for floods in loads for flood in floods]
    return ChainRun(
        took={size: led_back([[flood.beside for flood in floods] for floods in loads], steady_ns)
              for size, loads in found.items()},
        rtts_us=tuple(rtt_us for rtt_us in rtts_us if isfinite(rtt_us)), cores=len(cores),
        shared_ratio=fmean(flood.beside.share for flood in every),
        contended_ratio=median(flood.contended_ratio for flood in every),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flood:
    """One trial."""

    beside: TrialBeside
    contended_ratio: float


def _timing(works_ns: Sequence[int]) -> Timing:
    """Flood for longer where functions take long: queues fill first, and empty in steps."""
    through_s = _PACKETS_THROUGH * sum(works_ns) / 1e9
    seconds = min(_FLOOD_SECONDS_MAX, max(_FLOOD_SECONDS_MIN, through_s))
    return Timing(warm_up_seconds=0.05, seconds=seconds)


def _flooded(
    running: RunningChain, size: int, timing: Timing, watch: SharingWatch | None
) -> list[_Flood]:
    """Offer more than the chain can carry, until it is seen what others take of that."""
    load = replace(_FLOOD, frame_mix=((1, size),))
    cell = Cell(lab="veth", mode="split", datapath="chain", program="wire", memory_accesses=0,
                queues=1, link_gbps=inf, load=load)  # fmt: skip
    threads, found = running.threads(), list[_Flood]()
    while len(found) < TRIALS_MAX:
        looks: dict[int, Sequence[CoreLook]] = {}
        with watch.watching() if watch else nullcontext(looks) as looks:
            trial = send_through(running, threads, cell, timing)
        if not trial.forwarded_packets:
            raise LinerateError(f"chain: no packet of a flood came through in {timing.seconds:g} "
                                "s; ask again when less runs, see linerate doctor")  # fmt: skip
        share = shared_ratio(counts_of(looks, trial))
        beside = TrialBeside(packet_ns=1e3 / trial.forwarded_mpps, share=share)
        found.append(_Flood(beside=beside, contended_ratio=trial.contended_ratio))
        if len(found) >= TRIALS_MIN and not any(each.beside.share >= QUIET_SHARE for each in found):
            break
    return found


def _rtt_us(running: RunningChain) -> float:
    """Median round trip at rest; nan where no echo came back."""
    ping = ping_through(running, _PINGS, _PINGED).ping
    return ping.rtt.quantile_us(0.5) if ping else nan
