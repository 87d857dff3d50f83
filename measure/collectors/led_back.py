"""What a packet takes on cores that nobody else uses, where no stretch of a trial tells it.

Trials of one load take longer the more looks see others: the logarithm of a packet's time over that
share is a line, whose slope all loads of a program have. What it usually is and what the trials say
of it count by how sure each is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isnan, log
from statistics import fmean, median

from linerate.tables.shared_cores import slope_of_loads

LENGTHENED_MIN = 0.05
"""Share of a packet's time that others lengthen, at least."""
USUAL, USUAL_SD = 0.3, 0.15
"""Slope where trials tell none, and its standard deviation: of chains of each function, topology
and length it was 0.06 to 0.45 (docs/chains.md), of programs behind hooks 0.2 to 0.6 in a day
(docs/decisions/0023-rates-are-led-back.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialBeside:
    """A trial that others may have slowed."""

    packet_ns: float
    share: float
    """Of the looks those that saw others, 0 to 1; nan where nobody looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedBack:
    """Times on cores that nobody else uses."""

    packet_ns: tuple[float, ...]
    """Of each load, the median over its trials."""
    log_sd: float
    """Standard deviation of the logarithm of all of them together, by what is open of the
    slope."""


def led_back(loads: Sequence[Sequence[TrialBeside]], steady_ns: float = 0.0) -> LedBack:
    """Lead trials back to cores that nobody else uses.

    Parameters
    ----------
    loads
        Trials of each load of one program, at least one. Those beside which nobody looked are taken
        as they are.
    steady_ns
        Of a packet's time what others do not lengthen, such as waiting for a clock.

    >>> beside = [TrialBeside(packet_ns=100 * exp(0.4 * s), share=s) for s in (0.0, 0.3, 0.6, 0.1)]
    >>> [round(ns, 6) for ns in led_back([beside, beside]).packet_ns]
    [100.0, 100.0]
    """
    looked = [[(trial.share, -log(_lengthened_ns(trial, steady_ns)))
               for trial in trials if not isnan(trial.share)] for trials in loads]  # fmt: skip
    seen = slope_of_loads(looked, error_max=inf)
    falls, error = USUAL, USUAL_SD
    if seen is not None:
        known = USUAL_SD**2 / (USUAL_SD**2 + seen.error**2)
        falls, error = falls + known * (seen.value - falls), USUAL_SD * (1.0 - known) ** 0.5
    shares = [share for load in looked for share, _ in load]
    return LedBack(
        packet_ns=tuple(median(_alone_ns(trial, falls, steady_ns) for trial in trials)
                        for trials in loads),
        log_sd=error * fmean(shares) if shares else 0.0,
    )  # fmt: skip


def _alone_ns(trial: TrialBeside, falls: float, steady_ns: float) -> float:
    shorter = 0.0 if isnan(trial.share) else 1.0 - exp(-falls * trial.share)
    return trial.packet_ns - shorter * _lengthened_ns(trial, steady_ns)


def _lengthened_ns(trial: TrialBeside, steady_ns: float) -> float:
    return max(trial.packet_ns - steady_ns, LENGTHENED_MIN * trial.packet_ns)
