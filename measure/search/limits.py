"""Between which loads a search looks, and what comes back at the highest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import median

from linerate.cells import Load
from linerate.errors import LinerateError, bad_input
from linerate.measure.search.measurer import Measurement, Measurer
from linerate.measure.trials.validity import GENERATOR_SHORTFALL_RATIO
from linerate.records import Trial
from linerate.searches import MaxFrom

CEILING_TRIALS = 3
"""Looks at what the generator can send; their median counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Lowest and highest load of a search."""

    min_mpps: float
    max_mpps: float
    max_from: MaxFrom
    """What set the highest."""

    def __post_init__(self) -> None:
        if not 0.0 < self.min_mpps < self.max_mpps < math.inf:
            raise bad_input(
                "min_mpps", f"{self.min_mpps:g}", why=f"the highest load is {self.max_mpps:g} "
                f"Mpps, set by {self.max_from}", allowed="0 < min_mpps < that, which is finite",
                do="lower it",
            )  # fmt: skip


def find_limits(
    measurer: Measurer, *, min_mpps: float, max_mpps: float | None, seconds: float
) -> Limits:
    """Take the highest load from the plan, the line, or what the generator reaches.

    In split mode the generator has a core of its own, and it is asked first what it can send
    there: more than that can be claimed of no device. In serial mode it shares the device's core,
    so that what it cannot send is the device's doing, and only the line limits a search.
    """
    line_mpps = measurer.cell.line_rate_mpps
    asked_from: MaxFrom = "line_rate" if line_mpps <= (max_mpps or math.inf) else "max_load"
    asked_mpps = min(line_mpps, max_mpps or math.inf)
    if measurer.cell.mode == "split":
        sent_mpps = _ceiling_mpps(measurer, asked_mpps, seconds)
        if sent_mpps < asked_mpps * (1.0 - GENERATOR_SHORTFALL_RATIO):
            return Limits(min_mpps=min_mpps, max_mpps=sent_mpps, max_from="generator")
    elif math.isinf(asked_mpps):
        raise bad_input(
            "link_gbps", math.inf, why="in serial mode nothing else limits a search from above",
            allowed="a finite link, or max_mpps", do="name one of the two",
        )  # fmt: skip
    return Limits(min_mpps=min_mpps, max_mpps=asked_mpps, max_from=asked_from)


def highest_load(
    measurer: Measurer, limits: Limits, *, seconds: float, trials: int
) -> tuple[Measurement, ...]:
    """Take the maximum receive rate: what comes back of the highest load, whatever is lost.

    Where the highest load is the line's this is the rate that a campaign's ``offered_mpps =
    "line"`` measures too, in serial mode as ever with the generator's time in it.

    References
    ----------
    FD.io CSIT, data plane throughput, MRR: trials of one second at the highest load, loss ignored.

    """
    return tuple(measurer.at(limits.max_mpps, seconds, exact=True) for _ in range(trials))


def _ceiling_mpps(measurer: Measurer, asked_mpps: float, seconds: float) -> float:
    """Rate at which the generator can send the cell's own load, no more than was asked for."""
    flood = measurer.measure(flooded(measurer.cell.load), seconds, exact=True)
    most_mpps = min(asked_mpps, _sent_mpps(flood.trial))
    if not most_mpps > 0.0:
        raise LinerateError(f"generator: nothing was sent in {seconds:g} s; use longer trials")
    # A flood leaves in batches. What is sent when due leaves one by one, which costs more.
    trials = [measurer.at(most_mpps, seconds, exact=True).trial for _ in range(CEILING_TRIALS)]
    return min(asked_mpps, median(map(_sent_mpps, trials)))


def flooded(load: Load) -> Load:
    """Offer as many of a load's packets as go."""
    return replace(load, arrivals="flood", offered_mpps=math.inf, burst_packets=1)


def _sent_mpps(trial: Trial) -> float:
    return trial.sent_packets / trial.duration_s / 1e6
