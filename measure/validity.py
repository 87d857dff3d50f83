"""Physics that no measurement escapes, and signs that one was disturbed.

Each rule looks at one trial and says, in one sentence, what is wrong; *invalid* when it is
impossible, *suspect* when it may be the lab and not the device that was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from linerate.cells import Cell
from linerate.records import Trial, Verdict
from linerate.units import wire_time_ns

LINE_RATE_TOLERANCE = 1.001
"""Clocks of generator and line differ by less."""
GENERATOR_SHORTFALL_RATIO = 0.001
"""A generator that sent less than 99.9 % of what was intended limited the trial itself."""
STEAL_RATIO_MAX = 0.01
CONTENDED_RATIO_MAX = 0.02
UNACCOUNTED_RATIO_MAX = 0.005
"""Lost packets that no counter explains; window edges explain up to a ring's content."""
RING_PACKETS = 256

Rule = Callable[[Cell, Trial], str | None]


def judge(cell: Cell, trial: Trial) -> Verdict:
    """Apply every rule to a trial."""
    impossible = _broken(IMPOSSIBLE, cell, trial)
    if impossible:
        return Verdict(state="invalid", reasons=impossible)
    disturbed = _broken(DISTURBED, cell, trial)
    return Verdict(state="suspect" if disturbed else "valid", reasons=disturbed)


def _broken(rules: tuple[Rule, ...], cell: Cell, trial: Trial) -> tuple[str, ...]:
    return tuple(reason for rule in rules if (reason := rule(cell, trial)))


def above_line_rate(cell: Cell, trial: Trial) -> str | None:
    """No link carries more than its line rate."""
    line_mpps = cell.line_rate_mpps
    if trial.forwarded_mpps > line_mpps * LINE_RATE_TOLERANCE:
        return f"forwarded {trial.forwarded_mpps:.3f} Mpps exceed line rate {line_mpps:.3f}"
    return None


def sent_nothing(cell: Cell, trial: Trial) -> str | None:
    """Where nothing was offered, nothing was measured."""
    if trial.sent_packets == 0:
        return f"no packet was sent in {trial.duration_s:.3g} s: too short, or others held the core"
    return None


def forwarded_nothing(cell: Cell, trial: Trial) -> str | None:
    """Something comes back from a device that works."""
    if trial.sent_packets > 0 and trial.forwarded_packets == 0:
        return f"nothing of {trial.sent_packets} packets came back"
    return None


def latency_impossible(cell: Cell, trial: Trial) -> str | None:
    """No packet is back before it has left the wire once."""
    if trial.latency is None:
        return None
    wire_us = float(wire_time_ns(cell.link_gbps, cell.load.frame_bytes)) / 1e3
    if not trial.latency.mean_us > wire_us:
        return f"mean latency {trial.latency.mean_us:.3f} us is below the wire's {wire_us:.3f}"
    return None


def busier_than_cores(cell: Cell, trial: Trial) -> str | None:
    """No core is busy for longer than the time that passes."""
    if any(not 0.0 <= share <= 1.0 for share in trial.cpu_busy_ratios):
        return f"CPU shares {trial.cpu_busy_ratios} lie outside 0..1"
    return None


def generator_fell_short(cell: Cell, trial: Trial) -> str | None:
    """In split mode the generator has a core of its own and must keep its schedule.

    In serial mode it shares the device's core: what it cannot send is the device's doing.
    """
    if cell.mode == "serial" or math.isinf(cell.load.offered_mpps):
        return None
    shortfall = 1.0 - trial.sent_packets / max(trial.intended_packets, 1)
    if shortfall > GENERATOR_SHORTFALL_RATIO:
        return f"generator sent {shortfall:.2%} less than intended"
    return None


def hypervisor_stole(cell: Cell, trial: Trial) -> str | None:
    """Time the hypervisor took was not the device's."""
    if trial.steal_ratio > STEAL_RATIO_MAX:
        return f"the hypervisor took {trial.steal_ratio:.1%} of the CPU time"
    return None


def others_held_the_core(cell: Cell, trial: Trial) -> str | None:
    """Other processes on the lab's cores slow it down."""
    if trial.contended_ratio > CONTENDED_RATIO_MAX:
        return f"other processes held a core of the lab for {trial.contended_ratio:.1%} of the time"
    return None


def loss_unexplained(cell: Cell, trial: Trial) -> str | None:
    """Every lost packet is counted somewhere."""
    lost = trial.sent_packets - trial.forwarded_packets
    unexplained = abs(lost - sum(trial.dropped.values()))
    allowed = UNACCOUNTED_RATIO_MAX * trial.sent_packets + 2 * RING_PACKETS * cell.queues
    if unexplained > allowed:
        return f"{unexplained} of {lost} lost packets are in no counter"
    return None


IMPOSSIBLE: tuple[Rule, ...] = (
    above_line_rate,
    sent_nothing,
    forwarded_nothing,
    latency_impossible,
    busier_than_cores,
)
DISTURBED: tuple[Rule, ...] = (
    generator_fell_short,
    hypervisor_stole,
    others_held_the_core,
    loss_unexplained,
)
"""Rules in the order that their reasons are given."""
