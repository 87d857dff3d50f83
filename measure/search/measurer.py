"""The trials of one search: repeated where they were disturbed, counted, and bounded in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from linerate.cells import Cell, Load
from linerate.errors import LinerateError
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import (
    generator_fell_short,
    hypervisor_stole,
    judge,
    others_held_the_core,
)
from linerate.records import Trial, Verdict

UNSETTLED_RATIO_MAX = 0.1
"""A search in which more of the measurements stayed disturbed is suspect as a whole."""
HELD_LOSS_FACTOR = 4.0
"""A trial that lost more than so many times what others held lost it by itself. Generator, device
and sink may each be held in turn, and steal is shared out over all cores."""

RunTrial = Callable[[Load, Timing], Trial]


class BudgetSpentError(LinerateError):
    """The search has had all the trial time that it may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The trial that was taken of a load, and whether it can be believed."""

    load: Load
    trial: Trial
    verdict: Verdict
    short: str
    """The rule's words where the generator could not send what was intended, else empty."""
    held: tuple[str, ...] = ()
    """The rules' words where others had the cores; empty where the trial is to be exact."""

    @property
    def loss_ratio(self) -> float:
        """Share lost; all of it where the trial is impossible, so that no bound rests on it."""
        return 1.0 if self.verdict.state == "invalid" else self.trial.loss_ratio

    @property
    def device_loss_ratio(self) -> float:
        """Share of the intended packets that were sent and did not come back."""
        lost = self.trial.sent_packets - self.trial.forwarded_packets
        return lost / self.trial.intended_packets if self.trial.intended_packets else 1.0

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the trial may say more of the machine than of the device; empty where it does not.

        Others can only have slowed the lab down. A load that came back whole beside them is
        carried, and one that lost many times what they held is not.

        A trial is valid with a core held by others for up to 2 % of it. For a search that is a
        lot: a ring overflows within a fraction of a millisecond. So a loss counts as disturbed
        where no more was lost or left unsent than was due while others held a core. That the
        generator falls short by more is its own limit: to repeat the trial would not help.
        """
        held_ratio = max(self.trial.contended_ratio, self.trial.steal_ratio)
        loss_ratio = self.trial.loss_ratio
        clear = loss_ratio == 0.0 or loss_ratio > HELD_LOSS_FACTOR * held_ratio
        beside = (self.short, *(self.held if clear else ()))
        doubts = tuple(reason for reason in self.verdict.reasons if reason not in beside)
        if not doubts and 0.0 < loss_ratio <= held_ratio:
            return (f"lost {loss_ratio:.2%} while others held {held_ratio:.2%}",)
        return doubts


@dataclass(slots=True, kw_only=True)
class Measurer:
    """What a search asks for trials."""

    cell: Cell
    run_trial: RunTrial
    warm_up_seconds: float
    retries: int
    seconds_max: float
    """Trial time after which the search ends with what it knows."""
    measurements: list[Measurement] = field(default_factory=list)
    trials: int = 0
    disturbed_trials: int = 0
    duration_s: float = 0.0

    def measure(self, load: Load, seconds: float, *, exact: bool = False) -> Measurement:
        """Offer a load for a time, again where that was disturbed.

        Parameters
        ----------
        load, seconds
            What is offered, and how long.
        exact
            Whether rates or latencies are wanted and not only whether the load is carried: others
            spoil these however much was lost.

        Raises
        ------
        BudgetSpentError
            No trial time is left.
        """
        taken = self._once(load, seconds, exact=exact)
        for _ in range(self.retries):
            if not taken.doubts:
                break
            self.disturbed_trials += 1
            taken = self._once(load, seconds, exact=exact)
        self.measurements.append(taken)
        return taken

    def at(self, offered_mpps: float, seconds: float, *, exact: bool = False) -> Measurement:
        """Offer the cell's own load at another rate."""
        load = replace(self.cell.load, offered_mpps=offered_mpps)
        return self.measure(load, seconds, exact=exact)

    @property
    def steal_ratio(self) -> float:
        """Largest share of CPU time that the hypervisor took during a trial that was believed."""
        return max((taken.trial.steal_ratio for taken in self.measurements), default=0.0)

    def verdict(self) -> Verdict:
        """Whether the search as a whole can be believed."""
        unsettled = [taken for taken in self.measurements if taken.doubts]
        if len(unsettled) <= UNSETTLED_RATIO_MAX * len(self.measurements):
            return Verdict(state="valid")
        return Verdict(
            state="suspect",
            reasons=(
                f"{len(unsettled)} of {len(self.measurements)} measurements stayed disturbed, "
                f"the last: {unsettled[-1].doubts[0]}",
            ),
        )

    def _once(self, load: Load, seconds: float, *, exact: bool) -> Measurement:
        if self.duration_s + seconds > self.seconds_max:
            raise BudgetSpentError(f"seconds_max={self.seconds_max:g}: all trial time is spent")
        trial = self.run_trial(load, Timing(warm_up_seconds=self.warm_up_seconds, seconds=seconds))
        self.trials += 1
        self.duration_s += trial.duration_s
        cell = replace(self.cell, load=load)
        return Measurement(
            load=load,
            trial=trial,
            verdict=judge(cell, trial),
            short=generator_fell_short(cell, trial) or "",
            held=() if exact else _held(cell, trial),
        )


def _held(cell: Cell, trial: Trial) -> tuple[str, ...]:
    rules = (hypervisor_stole, others_held_the_core)
    return tuple(reason for rule in rules if (reason := rule(cell, trial)))
