"""Physics that no measurement escapes, and signs that one was disturbed.

Each rule looks at one trial and says, in one sentence, what is wrong; *invalid* when it is
impossible, *suspect* when it may be the lab and not the device that was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import PurePath

from linerate.cells import Cell
from linerate.measure.trials.physics import NAN, PHYSICS, Observed
from linerate.records import Trial, Verdict
from linerate.stretches import unshared_mpps
from linerate.units import wire_time_ns

GENERATOR_SHORTFALL_RATIO = 0.001
"""A generator that sent less than 99.9 % of what was intended limited the trial itself."""
STEAL_RATIO_MAX = 0.01
CONTENDED_RATIO_MAX = 0.02
LOOKS_RATIO = 0.02
"""Of the time that a flooded thread may wait for the looks of the probe ``sharing``
(docs/method/shared-cores.md)."""
SHARED_RATIO_MAX = 0.1
"""Of looks at the device's cores; what comes now and then comes in trials of all cells."""
UNACCOUNTED_RATIO_MAX = 0.005
"""Lost packets that no counter explains; window edges explain up to a ring's content."""
RING_PACKETS = 256

Rule = Callable[[Cell, Trial], str | None]


def judge(cell: Cell, trial: Trial) -> Verdict:
    """Apply every rule to a trial; where the device failed, that is the one reason."""
    if trial.failure:
        return Verdict(state="invalid", reasons=(trial.failure,))
    impossible = _broken_physics(cell, trial) + _broken(IMPOSSIBLE, cell, trial)
    if impossible:
        return Verdict(state="invalid", reasons=impossible)
    disturbed = _broken(DISTURBED, cell, trial)
    return Verdict(state="suspect" if disturbed else "valid", reasons=disturbed)


def _broken_physics(cell: Cell, trial: Trial) -> tuple[str, ...]:
    seen = observed(cell, trial)
    return tuple(reason for rule, _ in PHYSICS if (reason := rule(seen)))


def observed(cell: Cell, trial: Trial) -> Observed:
    """Tell the rules of physics what they may know of a trial; an empty histogram has mean 0.

    The order of its counts is the record's own promise, and what a link took of more than its
    line rate is in no rule: a flood offers what it can.
    """
    frame_bytes = cell.load.frame_bytes
    latency = trial.latency
    return Observed(
        line_mpps=cell.line_rate_mpps, queues=cell.queues, forwarded_mpps=trial.forwarded_mpps,
        wire_us=float(wire_time_ns(cell.link_gbps, frame_bytes)) / 1e3,
        latency_mean_us=(latency.mean_us if latency.packets else 0.0) if latency else NAN,
        cpu_busy_ratios=trial.cpu_busy_ratios, duration_s=trial.duration_s,
    )  # fmt: skip


def _broken(rules: tuple[Rule, ...], cell: Cell, trial: Trial) -> tuple[str, ...]:
    return tuple(reason for rule in rules if (reason := rule(cell, trial)))


def sent_nothing(cell: Cell, trial: Trial) -> str | None:
    """Where nothing was offered, nothing was measured."""
    if trial.sent_packets == 0:
        return f"no packet was sent in {trial.duration_s:.3g} s: too short, or others held the core"
    return None


def forwarded_nothing(cell: Cell, trial: Trial) -> str | None:
    """Something comes back from a device that works, unless its owner's program drops all."""
    if trial.sent_packets > 0 and trial.forwarded_packets == 0 and not _drops_all(cell, trial):
        return f"nothing of {trial.sent_packets} packets came back"
    return None


def _drops_all(cell: Cell, trial: Trial) -> bool:
    """Whether a program from a file let all packets go that it got; ours are made to forward."""
    came = trial.dropped.get("dut_program", 0) + sum(trial.ends.values())
    return bool(PurePath(cell.program).suffix) and came > 0


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
    if trial.steal_ratio > STEAL_RATIO_MAX and not _known_all_the_same(cell, trial):
        return f"the hypervisor took {trial.steal_ratio:.1%} of the CPU time"
    return None


def others_held_the_core(cell: Cell, trial: Trial) -> str | None:
    """Other processes on the lab's cores slow it down."""
    flooded = cell.mode == "split" and trial.probes.get("sharing_looks")
    allowed = CONTENDED_RATIO_MAX + (LOOKS_RATIO if flooded else 0.0)
    if trial.contended_ratio > allowed and not _known_all_the_same(cell, trial):
        return f"other processes held a core of the lab for {trial.contended_ratio:.1%} of the time"
    return None


def others_shared_the_core(cell: Cell, trial: Trial) -> str | None:
    """Doubt a core whose other hardware thread was busy: it had less for the lab.

    Known only where the probe ``sharing`` looked.
    """
    looks, shared = (int(trial.probes.get(name, 0))
                     for name in ("sharing_looks", "sharing_shared_looks"))  # fmt: skip
    if shared > SHARED_RATIO_MAX * looks and not _known_all_the_same(cell, trial):
        return f"others used a core of the lab, too, at {shared} of {looks} looks"
    return None


def _known_all_the_same(cell: Cell, trial: Trial) -> bool:
    """Whether enough of the trial was undisturbed to tell its rate: column ``unshared_mpps``."""
    return math.isfinite(unshared_mpps(trial, cell.load.offered_mpps))


def generator_doubts(cell: Cell, trial: Trial) -> str | None:
    """Pass on what a generator on another host knows, and this one cannot see."""
    return "; ".join(trial.remarks) or None


def loss_unexplained(cell: Cell, trial: Trial) -> str | None:
    """Every lost packet is counted somewhere."""
    lost = trial.sent_packets - trial.forwarded_packets
    unexplained = abs(lost - sum(trial.dropped.values()))
    allowed = UNACCOUNTED_RATIO_MAX * trial.sent_packets + 2 * RING_PACKETS * cell.queues
    if unexplained > allowed:
        return f"{unexplained} of {lost} lost packets are in no counter"
    return None


IMPOSSIBLE: tuple[Rule, ...] = (
    sent_nothing,
    forwarded_nothing,
)
DISTURBED: tuple[Rule, ...] = (
    generator_fell_short,
    hypervisor_stole,
    others_held_the_core,
    others_shared_the_core,
    generator_doubts,
    loss_unexplained,
)
"""Rules in the order that their reasons are given."""
