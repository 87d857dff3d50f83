"""Physics that no measurement escapes, as rules on what was observed of one run, own or imported.

Each rule says in one sentence what is impossible, or nothing. What was not measured is nan, and
no rule complains of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from linerate.line_rate import exceeds

PACKET_CYCLES_MIN = 20.0
"""A core needs some to take a packet from a ring, look at it and put it into another."""
PACKET_NS_MIN = 5.0
"""As many cycles, at 4 GHz."""
CLOCK_GHZ_MAX = 8.0
"""No processor runs faster."""
INSTRUCTIONS_PER_CYCLE_MAX = 8.0
RATE_OFF_RATIO = 0.002
"""A rate that is derived from counts agrees with them but for rounding."""
NAN = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What one trial or run is known to have done; nan for what was not measured."""

    line_mpps: float
    """inf without a link."""
    queues: int
    forwarded_mpps: float
    offered_mpps: float = NAN
    """inf in a flood."""
    wire_us: float = 0.0
    """Time of one frame on the wire."""
    latency_mean_us: float = NAN
    latencies_us: tuple[float, ...] = ()
    """Quantiles in ascending order of their share, the maximum last."""
    cpu_busy_ratios: tuple[float, ...] = ()
    duration_s: float = NAN
    intended_packets: float = NAN
    sent_packets: float = NAN
    forwarded_packets: float = NAN
    cycles_per_packet: float = NAN
    instructions_per_packet: float = NAN


Rule = Callable[[Observed], str | None]


def above_line_rate(seen: Observed) -> str | None:
    """No link carries more than its line rate."""
    if exceeds(seen.forwarded_mpps, seen.line_mpps):
        return f"forwarded {seen.forwarded_mpps:.3f} Mpps exceed line rate {seen.line_mpps:.3f}"
    return None


def offered_above_line_rate(seen: Observed) -> str | None:
    """No generator sends more than the link takes; a flood is as much as that is."""
    if math.isfinite(seen.offered_mpps) and exceeds(seen.offered_mpps, seen.line_mpps):
        return f"offered {seen.offered_mpps:.3f} Mpps exceed line rate {seen.line_mpps:.3f}"
    return None


def more_than_offered(seen: Observed) -> str | None:
    """No device sends back more than it gets.

    Where what was sent was counted, ``counts_out_of_order`` is the sharper rule: Poisson arrivals
    are a few more or less than the offered rate.
    """
    if not math.isnan(seen.sent_packets):
        return None
    if exceeds(seen.forwarded_mpps, seen.offered_mpps):
        return f"forwarded {seen.forwarded_mpps:.3f} Mpps exceed offered {seen.offered_mpps:.3f}"
    return None


def latency_impossible(seen: Observed) -> str | None:
    """No packet is back before it has left the wire once."""
    if seen.latency_mean_us <= seen.wire_us:
        return f"mean latency {seen.latency_mean_us:.3f} us is below the wire's {seen.wire_us:.3f}"
    return None


def quantiles_disordered(seen: Observed) -> str | None:
    """No larger share of the packets needs less time."""
    known = [value for value in seen.latencies_us if not math.isnan(value)]
    if known != sorted(known):
        return f"latencies of growing shares of packets fall: {known} us"
    return None


def busier_than_cores(seen: Observed) -> str | None:
    """No core is busy for longer than the time that passes."""
    if any(not 0.0 <= share <= 1.0 for share in seen.cpu_busy_ratios):
        return f"CPU shares {seen.cpu_busy_ratios} lie outside 0..1"
    return None


def no_time_passed(seen: Observed) -> str | None:
    """No rate is taken in no time."""
    if seen.duration_s <= 0.0:
        return f"it was measured for {seen.duration_s:g} s"
    return None


def window_without_traffic(seen: Observed) -> str | None:
    """Nothing comes back within a window that was not sent within it."""
    if seen.sent_packets == 0 and seen.forwarded_mpps > 0.0:
        return "nothing was sent within the window, and yet packets came back"
    return None


def counts_out_of_order(seen: Observed) -> str | None:
    """Packets are intended, then sent, then forwarded; none is added on the way."""
    counts = (seen.forwarded_packets, seen.sent_packets, seen.intended_packets)
    known = [count for count in counts if not math.isnan(count)]
    if known != sorted(known) or any(count < 0 for count in known):
        return "packets forwarded, sent, intended do not grow: " + ", ".join(
            f"{count:.0f}" for count in known
        )
    return None


def rate_not_its_counts(seen: Observed) -> str | None:
    """No rate differs from its packets over its time."""
    derived_mpps = seen.forwarded_packets / max(seen.duration_s, 1e-12) / 1e6
    if abs(seen.forwarded_mpps - derived_mpps) > RATE_OFF_RATIO * seen.forwarded_mpps:
        return f"{seen.forwarded_mpps:.4g} Mpps, but its counts over its time {derived_mpps:.4g}"
    return None


def packet_too_cheap(seen: Observed) -> str | None:
    """No core handles a packet in no time."""
    if not seen.forwarded_mpps > 0.0:
        return None
    packet_ns = 1e3 * seen.queues / seen.forwarded_mpps
    if packet_ns < PACKET_NS_MIN:
        return f"a core would spend {packet_ns:.2f} ns a packet; the least is {PACKET_NS_MIN}"
    return None


def cycles_implausible(seen: Observed) -> str | None:
    """Cycles a packet are neither next to none nor more than the cores have."""
    if math.isnan(seen.cycles_per_packet) or not seen.forwarded_mpps > 0.0:
        return None
    most = CLOCK_GHZ_MAX * 1e3 * seen.queues / seen.forwarded_mpps
    if not PACKET_CYCLES_MIN <= seen.cycles_per_packet <= most:
        return (
            f"{seen.cycles_per_packet:.3g} cycles a packet lie outside "
            f"{PACKET_CYCLES_MIN:.0f}..{most:.0f}, which {seen.queues} cores have"
        )
    return None


def instructions_implausible(seen: Observed) -> str | None:
    """No core retires more than some instructions a cycle, and a packet takes a few."""
    count = seen.instructions_per_packet
    if math.isnan(count):
        return None
    most = INSTRUCTIONS_PER_CYCLE_MAX * seen.cycles_per_packet
    if count < PACKET_CYCLES_MIN or count > most:
        return f"{count:.3g} instructions a packet in {seen.cycles_per_packet:.3g} cycles"
    return None


PHYSICS: tuple[tuple[Rule, str], ...] = (
    (no_time_passed, "take it over a window that has begun before it ends"),
    (above_line_rate, "look for a counter of another port, a wrong frame size (with FCS?) or link"),
    (offered_above_line_rate, "the generator's card dropped what it accepted: put line rate there"),
    (more_than_offered, "check the unit of both rates, and that both are of the same port"),
    (window_without_traffic, "take both counters over the same window"),
    (counts_out_of_order, "look for a counter that began before the trial, or was reset in it"),
    (rate_not_its_counts, "derive the rate anew: forwarded_packets / duration_s / 1e6"),
    (latency_impossible, "check the unit (us), and the clocks of both stamps"),
    (quantiles_disordered, "check which column holds which quantile"),
    (busier_than_cores, "give the share of one core, 0..1, not percent and not a sum"),
    (packet_too_cheap, "check the unit (Mpps), and queues: cores that worked"),
    (cycles_implausible, "count the machine's cores (perf stat -a), and packets of that time"),
    (instructions_implausible, "count the machine's cores (perf stat -a), not a command"),
)
"""Each rule, and what to do where it is broken; in the order that reasons are given."""
