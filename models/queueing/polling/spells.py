"""Spells between two moments at which a core acts: who arrives in them, who finds no place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from linerate.models.arrays import Array
from linerate.models.queueing.polling.ring import Ring

PHASES = 32
"""Points of a spell at which arrivals are taken."""
UNLIKELY = 1e-13
"""Chance that is left out of a distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spell:
    """A time in which packets only arrive: a burst in service, one packet in service, a set-up."""

    length_ns: float
    """How long it is."""
    left: Array
    """How often, per poll, it begins with 0..K packets in the ring, shape (K + 1,)."""
    used: int
    """Packets of the burst that are spent as it ends; all of it if a new poll comes next."""
    woken: bool = False
    """Whether the arrival of a packet began it, which lies in the ring already."""


def poisson(mean: Array | float, most: int) -> Array:
    """Chance of 0..most - 1 arrivals where so many are expected, shape (..., most)."""
    from scipy.special import gammaln, xlogy  # slow to load

    mean, count = np.asarray(mean)[..., None], np.arange(most)
    return np.asarray(np.exp(xlogy(count, mean) - mean - gammaln(count + 1.0)))


def filled(ring: Ring, length_ns: float) -> Array:
    """Chance to go from i to j packets while nothing is taken, shape (K + 1, K + 1)."""
    size = ring.places + 1
    chances = poisson(ring.load_mpps * 1e-3 * length_ns, size)
    more = np.arange(size) - np.arange(size)[:, None]
    moves = np.where(more >= 0, chances[np.maximum(more, 0)], 0.0)
    moves[:, -1] += np.maximum(1.0 - moves.sum(axis=1), 0.0)
    return np.asarray(moves)


def steady(moves: Array) -> Array:
    """Stationary chances of a Markov chain, shape (states,)."""
    size = len(moves)
    balance = (moves - np.eye(size)).T
    balance[-1] = 1.0
    chances = np.maximum(np.linalg.solve(balance, np.append(np.zeros(size - 1), 1.0)), 0.0)
    return np.asarray(chances / chances.sum())


def loss_ratio(ring: Ring, spells: Iterable[Spell]) -> float:
    """Arrivals beyond the room that was left, over all arrivals."""
    lost = offered = 0.0
    for spell in spells:
        mean, often = ring.load_mpps * 1e-3 * spell.length_ns, float(spell.left.sum())
        beyond = 1.0 - np.cumsum(poisson(mean, ring.places))
        excess = np.maximum(mean - np.concatenate([[0.0], np.cumsum(beyond)]), 0.0)
        lost += float(spell.left @ excess[::-1])
        offered += often * (mean + spell.woken)
    return lost / offered


def sojourns(ring: Ring, spells: Iterable[Spell]) -> tuple[Array, Array]:
    """List times from arrival to the end of service, ascending, and the chance of each."""
    listed = [_listed(ring, spell) for spell in spells]
    times_ns = np.concatenate([each for each, _ in listed])
    weights = np.concatenate([each for _, each in listed])
    order = np.argsort(times_ns)
    return times_ns[order], weights[order] / weights.sum()


def _listed(ring: Ring, spell: Spell) -> tuple[Array, Array]:
    """List packets by when they come in a spell, and their place in the ring."""
    phases = (np.arange(PHASES) + 0.5) / PHASES
    mean = ring.load_mpps * 1e-3 * spell.length_ns
    # Those there before and those that came add up: a product of spectra, without wrapping round.
    points = 2 * ring.places
    spectra = np.fft.rfft(spell.left[:-1], points) * np.fft.rfft(
        poisson(phases * mean, ring.places), points
    )
    weights = np.fft.irfft(spectra, points)[:, : ring.places] * (mean / PHASES)
    own_ns = _own_ns(ring, spell.used)
    times_ns = (1.0 - phases)[:, None] * spell.length_ns + own_ns
    kept = weights > UNLIKELY
    times_ns, weights = times_ns[kept], weights[kept]
    if spell.woken:
        times_ns = np.append(times_ns, spell.length_ns + own_ns[0])
        weights = np.append(weights, spell.left.sum())
    return times_ns, weights


def _own_ns(ring: Ring, used: int) -> Array:
    """Time from the end of a spell to the end of service at each place of the ring, shape (K,)."""
    place = np.arange(ring.places, dtype=np.float64)
    polls, away_ns = (used + place) // ring.burst, float(np.mean(ring.away_ns))
    # A spell before a poll has the time elsewhere behind it.
    turned_ns = polls * (ring.visit_ns + away_ns) - (away_ns if used == ring.burst else 0.0)
    return np.asarray(turned_ns + (place + 1.0) * ring.service_time_ns)
