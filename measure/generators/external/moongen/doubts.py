"""What is doubtful in MoonGen's counts, judged by the counts themselves.

The logs of Capeletti (2022) show each of these: transmit counters of up to four times the line rate
from a card that accepts and drops, a clock 0.19 % off, counters that stand still while frames pass.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from linerate.line_rate import TOLERANCE_RATIO
from linerate.measure.generators.external.dpdk_load import surplus_words
from linerate.measure.generators.external.moongen.log import SentLoad

LINE_RATIO_MAX = 1.001
CLOCK_RATIO_MAX = 0.001
ENDED_EARLY_RATIO = 0.99
BURST_PACKETS_MAX = 32
"""A task this late sends bursts, whatever pattern was asked for."""
COUNTING_DRIVERS = ("net_ixgbe", "net_i40e", "rte_ixgbe_pmd", "rte_i40e_pmd")
"""Cards whose receive registers MoonGen reads by code of its own for them."""

Doubt = Callable[[SentLoad, float], str | None]
"""Judges a log, given the most packets that the link carries in its time."""


def sent_more_than_the_line(log: SentLoad, line_packets: float) -> str | None:
    """Find a transmit register that counts what the card accepted, and not what it sent."""
    if log.done.sent <= line_packets * TOLERANCE_RATIO:
        return None
    return (
        f"the card says that it sent {log.done.sent / line_packets:.2f} times what its link "
        "carries: it drops what it accepts; sent is taken for line rate"
    )


def clock_is_off(log: SentLoad, line_packets: float) -> str | None:
    """Two clocks over the same time."""
    tsc_ns, monotonic_ns = log.done.looked_tsc_ns, log.done.looked_monotonic_ns
    off = tsc_ns / monotonic_ns - 1.0 if monotonic_ns > 0 else 1.0
    if abs(off) <= CLOCK_RATIO_MAX:
        return None
    return f"MoonGen's clock is {off:+.3%} off the kernel's; rates are by the kernel's"


def counter_fell(log: SentLoad, line_packets: float) -> str | None:
    """No counter goes down."""
    counts = [(0, 0), *((second.sent, second.received) for second in log.seconds)]
    looks = pairwise([*counts, (log.done.sent, log.done.received)])
    if all(sent <= more and back <= again for (sent, back), (more, again) in looks):
        return None
    return "a register of the card went down while it was sending"


def received_more_than_sent(log: SentLoad, line_packets: float) -> str | None:
    """See whether something else sends to the card."""
    return surplus_words(log.done.sent, log.done.received)


def counted_by_the_driver(log: SentLoad, line_packets: float) -> str | None:
    """Most packets are never fetched, and drivers differ in whether they count such."""
    if log.ready.driver in COUNTING_DRIVERS:
        return None
    return f"what came back is counted by driver {log.ready.driver}, which MoonGen has not verified"


def sent_in_bursts(log: SentLoad, line_packets: float) -> str | None:
    """See whether a task was late: it catches up."""
    if log.ready.pattern == "flood" or log.done.burst_packets <= BURST_PACKETS_MAX:
        return None
    return f"a core that sends was late: {log.done.burst_packets} packets left at once"


def ended_early(log: SentLoad, line_packets: float) -> str | None:
    """See whether a signal, or its own bound, ended MoonGen's tasks."""
    if log.seconds and log.seconds[-1].at_ns >= ENDED_EARLY_RATIO * log.done.duration_ns:
        return None
    return "MoonGen ended before its time"


def probes_were_lost(log: SentLoad, line_packets: float) -> str | None:
    """Frames came back and no probe did: a filter, or a receiver that cannot keep up."""
    if log.done.probes_back or not log.done.probes_sent or not log.done.received:
        return None
    return f"none of {log.done.probes_sent} probes came back, while frames did: latency is unknown"


DOUBTS: tuple[Doubt, ...] = (
    sent_more_than_the_line,
    clock_is_off,
    counter_fell,
    received_more_than_sent,
    counted_by_the_driver,
    sent_in_bursts,
    ended_early,
    probes_were_lost,
)
"""In the order that they are reported."""


def doubts(log: SentLoad, line_packets: float) -> tuple[str, ...]:
    """Name all that makes a log's counts doubtful.

    Parameters
    ----------
    log
        Of one load.
    line_packets
        Most that the link carries in the counted time; inf where its speed is unknown.
    """
    return tuple(words for doubt in DOUBTS if (words := doubt(log, line_packets)))
