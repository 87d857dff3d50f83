"""Several rings alike on one core: losses and sojourns, not only the mean wait."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.polling.cyclic import polling_wait_ns
from linerate.models.queueing.polling.pair import PLACES_MAX, polled_pair
from linerate.models.queueing.polling.polled import Polled, polled
from linerate.models.queueing.polling.ring import Ring
from linerate.models.queueing.polling.spells import Spell, loss_ratio, poisson, sojourns, steady

LIGHT_RATIO, OVERLOADED_RATIO = 0.25, 1.1
"""Mean packets of a visit over the burst, up to which bursts seldom fill; load over capacity, from
which they nearly always do."""
CRITICAL_RATIOS = 0.95, 1.03
"""Load over capacity between which three rings or more are not solved."""
GRID = np.concatenate([np.linspace(0.0, 0.98, 981)[:-1], 1.0 - np.geomspace(0.02, 1e-6, 1200)])
"""Shares of packets at which times are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """Rings in turn, and what two moments say of one round of the core."""

    ring: Ring
    rings: int

    @property
    def rho(self) -> float:
        return self.rings * self.ring.load_mpps * self.ring.service_time_ns * 1e-3

    @property
    def full_mpps(self) -> float:
        """What one ring is served at most, every burst full."""
        turn_ns = self.ring.visit_ns + self.ring.burst * self.ring.service_time_ns
        return 1e3 * self.ring.burst / (self.rings * turn_ns)

    @property
    def taken_mean(self) -> float:
        """Packets of a visit: the arrivals of a round."""
        round_ns = self.rings * self.ring.visit_ns / max(1.0 - self.rho, 1e-9)
        return self.ring.load_mpps * 1e-3 * round_ns

    @property
    def taken_variance(self) -> float:
        """Of the packets of one round, from the exact mean wait."""
        ring, mean = self.ring, self.rings * self.taken_mean
        wait_ns = polling_wait_ns(load_mpps=self.rings * ring.load_mpps, rings=self.rings,
                                  service_time_ns=ring.service_time_ns, service_scv=0.0,
                                  visit_ns=ring.visit_ns)  # fmt: skip
        round_ns = self.rings * ring.visit_ns + mean * ring.service_time_ns
        square = 2.0 * round_ns * (wait_ns - ring.visit_ns) / (1.0 + self.rho / self.rings)
        return (square - round_ns**2) / ring.service_time_ns**2


def polled_rings(ring: Ring, rings: int) -> Polled:
    """Solve one of several rings alike that a core polls in turn.

    Parameters
    ----------
    ring
        One of them and its own load; ``visit_ns`` is the cost of any poll, packets or none.
    rings
        How many.

    Returns
    -------
    Steady state of each. ``found`` counts polls that find nothing too.

    Raises
    ------
    BadInputError
        A core that sleeps or takes later arrivals, polls whose cost depends on what they find,
        three rings or more at a load between 0.95 and 1.03 of capacity, or more than 256 places
        between there and 1.1.

    Notes
    -----
    Two rings are solved exactly at any load (``polled_pair``), up to 256 places. Else, by load:

    While bursts seldom fill, a visit takes what came since the last visit here, in the time of one
    round. So the packets of the last n visits are nearly a Markov chain: the oldest visit drops
    out, and a Poisson count of that time's arrivals comes in. Approximate is only how the oldest
    visit is drawn: about its share, as widely as makes the mean wait exact. In overload all visits
    are full, and each ring is one whose core is away for a constant time. Between, where bursts
    fill by chance, the mean wait and each quantile grow by nearly as much with each ring as from
    the first to the second, at the same load of the core: the mean of gated polling does so
    exactly. One ring and two are solved, and the line through both is followed; how many packets
    a poll finds, and losses, are those of two.

    With bursts of 32 in rings of 128, 2 to 8 rings and polls of 20 to 200 ns before services of
    100 ns: up to mean visits of a quarter of the burst the mean is within 2 %, p99 within 4 % and
    p99.9 within 9 % of simulation; from 1.1 of capacity on all within 1 %. Between, with bursts
    of 64 in rings of 256 too, up to 0.95 of capacity the mean is within 2 %, p50 and p99 within
    5 %, p90 within 11 % and p99.9 within 14 %; from 1.03 on the mean within 1 %, p99 within 5 %.
    From 0.95 to 1.03 the line fails, the mean by up to 37 % and p99.9 by 50 %, because how far
    queues grow there depends on the places of all rings together: such loads are refused.

    References
    ----------
    Begin, Baynat, Artero Gallardo and Jardin, IEEE Trans. Network and Service Management 15 (2018)
    solve rings one by one; Takagi, Analysis of Polling Systems (1986), ch. 5, for the mean.

    Examples
    --------
    >>> one = Ring(load_mpps=2.0, service_time_ns=100.0, burst=32, places=128, visit_ns=50.0,
    ...            empty_ns=50.0)
    >>> polled_rings(one, 4).quantile_ns([0.5, 0.99]).round(-2)
    array([ 800., 2700.])
    """
    turns = _Round(ring=ring, rings=rings)
    if not (ring.gated and ring.setup_ns is None and ring.visit_ns == ring.empty_ns and rings >= 1):
        raise bad_input("ring", ring, why="only gated polling with polls of one cost is solved",
                        allowed="gated, no setup_ns, visit_ns = empty_ns, a ring or more",
                        do="simulate it")  # fmt: skip
    if rings == 1:
        return polled(ring)
    if rings == 2 and ring.places <= PLACES_MAX:
        return polled_pair(ring, ring)[0]
    load_ratio = ring.load_mpps / turns.full_mpps
    if load_ratio >= OVERLOADED_RATIO:
        full_ns = ring.visit_ns + ring.burst * ring.service_time_ns
        return polled(replace(ring, away_ns=((rings - 1) * full_ns,)))
    if turns.rho < 1.0 and turns.taken_mean <= (LIGHT_RATIO + 1e-9) * ring.burst:
        return _light(turns)
    low, high = CRITICAL_RATIOS
    if low + 1e-9 < load_ratio < high - 1e-9:
        raise bad_input("load_mpps", ring.load_mpps, why="rings this near capacity are not solved",
                        allowed=f"up to {low * turns.full_mpps:.4g} or from "
                        f"{high * turns.full_mpps:.4g} on", do="simulate it")  # fmt: skip
    return _on_a_line(turns, below=load_ratio < 1.0)


def _on_a_line(turns: _Round, *, below: bool) -> Polled:
    """Follow the line through one ring and two of the same load of the core."""
    ring, load_mpps = turns.ring, turns.rings * turns.ring.load_mpps
    # Below capacity nothing comes to lie that deep.
    places = min(ring.places, PLACES_MAX) if below else ring.places
    half = replace(ring, load_mpps=load_mpps / 2.0, places=places)
    two = polled_pair(half, half)[0]
    one = polled(replace(ring, load_mpps=load_mpps, places=places))
    first_ns, second_ns = one.quantile_ns(GRID), two.quantile_ns(GRID)
    times_ns = first_ns + (turns.rings - 1) * (second_ns - first_ns)
    return replace(
        two, found=np.append(two.found, np.zeros(ring.places - places)),
        sojourns_ns=np.maximum.accumulate(times_ns), chances=np.diff(GRID, prepend=0.0) / GRID[-1],
    )  # fmt: skip


def _light(turns: _Round) -> Polled:
    ring, inside = turns.ring, _inside(turns)
    spells, found = [], np.zeros(ring.places + 1)
    for taken, chance in enumerate(inside):
        length_ns = _round_ns(turns, taken)
        left = np.zeros(ring.places + 1)
        left[0] = chance
        spells.append(Spell(length_ns=length_ns, left=left, used=ring.burst))
        found += chance * poisson(ring.load_mpps * 1e-3 * length_ns, ring.places + 1)
    sojourns_ns, chances = sojourns(ring, spells)
    return Polled(
        found=found, loss_ratio=loss_ratio(ring, spells), sojourns_ns=sojourns_ns, chances=chances,
        burst_packets_mean=float(np.arange(found.size) @ found / (1.0 - found[0])),
    )  # fmt: skip


def _round_ns(turns: _Round, taken: float) -> float:
    return turns.rings * turns.ring.visit_ns + taken * turns.ring.service_time_ns


def _inside(turns: _Round) -> Array:
    """Chance that the last n visits took 0.. packets together."""
    mean, spread = turns.rings * turns.taken_mean, float(np.sqrt(turns.taken_variance))
    size, scatter = int(mean + 12.0 * spread + 20.0), _scatter(turns)
    moves = np.zeros((size, size))
    for taken in range(size):
        come = poisson(turns.ring.load_mpps * 1e-3 * _round_ns(turns, taken), size)
        stay = _oldest(taken, turns.rings, scatter)[::-1]
        moves[taken] = np.convolve(stay, come)[:size]
    moves[:, -1] += np.maximum(1.0 - moves.sum(axis=1), 0.0)
    return steady(moves)


def _scatter(turns: _Round) -> float:
    """Variance of the oldest visit about its share, over that of a binomial count."""
    share = 1.0 / turns.rings
    kept = 1.0 - share + turns.rho * share
    over = turns.taken_variance * (1.0 - kept**2) / turns.taken_mean - 1.0
    return float(np.clip(over / (1.0 - share), 0.0, 1.0))


def _oldest(taken: int, rings: int, scatter: float) -> Array:
    """Chance that the oldest of n visits took 0..taken of all their packets."""
    from scipy.special import gammaln, xlogy  # slow to load

    count = np.arange(taken + 1)
    log_choose = gammaln(taken + 1) - gammaln(count + 1) - gammaln(taken - count + 1)
    share = 1.0 / rings
    chances = scatter * np.exp(log_choose + xlogy(count, share) + xlogy(taken - count, 1.0 - share))
    whole, part = divmod(taken, rings)
    chances[whole] += (1.0 - scatter) * (1.0 - part / rings)
    if part:
        chances[whole + 1] += (1.0 - scatter) * part / rings
    return np.asarray(chances)
