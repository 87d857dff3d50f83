"""What a packet takes on a core that nobody else uses: by trials, until others leave one alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isfinite, nan
from statistics import fmean
from typing import Protocol

from linerate.measure.collectors.sharing import SharingWatch, Windowed, sent_beside
from linerate.stretches import ALONE_RATIO, NEVER_ALONE_RATIO, undisturbed_ns

TRIES = 10
"""Trials, until others leave one of them alone, if only for a while: they may stay for a second or
two. A trial beside which nobody is seen counts as it is."""
SECONDS_MIN, SECONDS_MAX, ROUNDS = 0.2, 25.0, 60
"""Of a trial: at least so many rounds of its packets; four times as long again where that is too
short to be timed by stretches."""


class Timed(Windowed, Protocol):
    """What was counted in a window, with the time of a packet over stretches of it."""

    @property
    def stretches_ns(self) -> tuple[tuple[float, ...], ...]:
        """Of each core forty quantiles, none where there were fewer stretches."""
        ...


def time_alone(
    watch: SharingWatch | None, send: Callable[[float], Timed], round_ns: float
) -> float:
    """Time packets of one core in trials of some seconds.

    Parameters
    ----------
    watch
        Looks at the core meanwhile; None where nothing can.
    send
        Lets packets run for so many seconds.
    round_ns
        What packets take, about, until the same come again, ns.

    Returns
    -------
    ns a packet; nan if others leave no trial alone.
    """
    seconds = min(SECONDS_MAX, max(SECONDS_MIN, 1e-9 * ROUNDS * round_ns))
    for _ in range(TRIES):
        report, slowed = sent_beside(watch, partial(send, seconds))
        (quantiles_ns,) = report.stretches_ns
        if not quantiles_ns:
            seconds = min(SECONDS_MAX, 4.0 * seconds)
            continue
        counted_ns = fmean(quantiles_ns)
        if slowed < ALONE_RATIO:
            return counted_ns
        alone_ns = undisturbed_ns(quantiles_ns)
        never_alone = isfinite(slowed) and slowed > NEVER_ALONE_RATIO
        if isfinite(alone_ns) and not never_alone:
            return max(alone_ns, counted_ns / slowed)
    return nan
