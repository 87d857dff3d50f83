"""What a simulated queue is offered: arrival times and service times, drawn before it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array

PACKETS_MAX = 20_000_000
"""One simulation holds some 50 bytes a packet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Packets of a renewal process of gamma gaps, alone or in bursts."""

    load_mpps: float
    """Packets offered, all together."""
    packets: int
    """How many, warm-up included."""
    gap_scv: float = 1.0
    """Squared coefficient of variation of the gaps: 0 paced, 1 Poisson."""
    burst_packets: int = 1
    """Packets that arrive at once."""

    def __post_init__(self) -> None:
        if not 0.0 < self.load_mpps < np.inf:
            raise bad_input("load_mpps", self.load_mpps, why="nothing would ever arrive",
                            allowed="> 0", do="name a load")  # fmt: skip
        if not 1 <= self.packets <= PACKETS_MAX:
            raise bad_input("packets", self.packets, why="all are held in memory",
                            allowed=f"1..{PACKETS_MAX}", do="simulate several times")  # fmt: skip
        if not self.burst_packets >= 1:
            raise bad_input("burst_packets", self.burst_packets, why="a burst has packets",
                            allowed=">= 1", do="correct it")  # fmt: skip

    def arrivals_ns(self, rng: np.random.Generator) -> Array:
        """Draw the time of each arrival, ascending, shape (packets,)."""
        bursts = -(-self.packets // self.burst_packets)
        gap_ns = 1e3 * self.burst_packets / self.load_mpps
        heads_ns = np.cumsum(gap_ns * unit_draws(self.gap_scv, bursts, rng))
        return np.repeat(heads_ns, self.burst_packets)[: self.packets]


def unit_draws(scv: float, count: int, rng: np.random.Generator) -> Array:
    """Draw gamma times of mean 1.

    Parameters
    ----------
    scv
        Their squared coefficient of variation: 0 constant, 1 exponential.

    Returns
    -------
    Shape (count,).

    Raises
    ------
    BadInputError
        A negative or endless variance.

    Examples
    --------
    >>> unit_draws(0.0, 2, np.random.default_rng(0))
    array([1., 1.])
    """
    if not 0.0 <= scv < np.inf:
        raise bad_input("scv", scv, why="a variance is not negative", allowed=">= 0",
                        do="correct it")  # fmt: skip
    if scv == 0.0:
        return np.ones(count)
    if scv == 1.0:
        return rng.standard_exponential(count)
    return np.asarray(rng.gamma(1.0 / scv, scv, count))
