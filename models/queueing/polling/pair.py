"""Two rings on one core, of equal load or not: the chain of both counts from poll to poll."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.one_thread import one_thread
from linerate.models.queueing.polling.polled import Polled
from linerate.models.queueing.polling.ring import Ring
from linerate.models.queueing.polling.spells import Spell, filled, loss_ratio, sojourns

PLACES_MAX = 256
"""Places of a ring up to which both counts are followed: the states are the product of both."""
SETTLING, VECTORS, TOLERANCE = 20, 30, 1e-11
"""Steps of the chain before the search for its stationary chances; vectors and end of that."""
UNLIKELY = 1e-13
"""Chance of a spell that is left out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Turn:
    """A poll of one ring, and what comes to both meanwhile."""

    lengths_ns: Array
    """Time of a poll that takes 0, 1, .. packets, shape (burst + 1,)."""
    here: Array
    """Chances to go from i to j packets in the ring polled, in each of these times."""
    there: Array
    """The same of the other ring."""

    @property
    def burst(self) -> int:
        return self.lengths_ns.size - 1

    def elsewhere(self, counts: Array) -> tuple[Array, Array]:
        """Count the other ring after the poll: by what it took, and by what a full burst left.

        Of ``counts[here, there]``; shapes (burst, there) and (here - burst, there).
        """
        short = np.matmul(counts[: self.burst, None, :], self.there[:-1])[:, 0, :]
        return short, counts[self.burst :] @ self.there[-1]

    def __call__(self, counts: Array) -> Array:
        """From one poll to the next, at the other ring: ``counts[there, here]``."""
        short, full = self.elsewhere(counts)
        return np.asarray(short.T @ self.here[:-1, 0] + full.T @ self.here[-1, : len(full)])


def polled_pair(first: Ring, second: Ring) -> tuple[Polled, Polled]:
    """Solve two rings that one core polls in turn, at any load.

    How many packets lie in both at a poll is a Markov chain, solved exactly. So losses are exact,
    and sojourns but for their grid and for packets that wait longer than a round: to them the
    visits to the other ring have the mean length of those that follow a full burst here. Held
    against simulation with bursts of 32 in rings of 128, polls of 50 and 200 ns before services
    of 100 ns, loads of half to 1.2 of capacity, shared evenly and 4 to 1: means within 1 %, p99
    within 5 %, p99.9 within 7 %. At exactly the capacity a simulation of 10 million packets does
    not tell the mean to better than 2 %. It takes about a second.

    Parameters
    ----------
    first, second
        The rings, each with its own load, burst and costs.

    Returns
    -------
    Steady state of each.

    Raises
    ------
    BadInputError
        A core that sleeps, is away elsewhere or takes later arrivals, or a ring of more than 256
        places.

    References
    ----------
    Begin, Baynat, Artero Gallardo and Jardin, IEEE Trans. Network and Service Management 15
    (2018), who solve rings one by one; Takagi, Analysis of Polling Systems (1986).

    Examples
    --------
    >>> busy, idle = (Ring(load_mpps=load, service_time_ns=100.0, burst=8, places=32,
    ...                    visit_ns=50.0, empty_ns=50.0) for load in (6.0, 1.0))
    >>> [float(state.quantile_ns(0.99).round(-1)) for state in polled_pair(busy, idle)]
    [1480.0, 1070.0]
    """
    for ring in (first, second):
        _refuse_unsolved(ring)
    there, back = _turn(first, second), _turn(second, first)
    with one_thread():  # matrices so small that threads wait for each other
        counts = _steady(there, back, (first.places + 1, second.places + 1))
        return _solved(first, counts, there, back), _solved(second, there(counts), back, there)


def _refuse_unsolved(ring: Ring) -> None:
    plain = ring.gated and ring.setup_ns is None and ring.away_ns == (0.0,)
    if not plain or ring.places > PLACES_MAX or ring.burst > ring.places:
        raise bad_input("ring", ring, why="the chain of two rings does not know that",
                        allowed=f"gated, no setup_ns or away_ns, burst <= places <= {PLACES_MAX}",
                        do="simulate it")  # fmt: skip


def _turn(here: Ring, there: Ring) -> _Turn:
    taken = np.arange(here.burst + 1)
    lengths_ns = np.where(taken, here.visit_ns + taken * here.service_time_ns, here.empty_ns)
    return _Turn(
        lengths_ns=lengths_ns, here=np.stack([filled(here, ns) for ns in lengths_ns]),
        there=np.stack([filled(there, ns) for ns in lengths_ns]),
    )  # fmt: skip


def _steady(there: _Turn, back: _Turn, shape: tuple[int, int]) -> Array:
    """Stationary chances of both counts at a poll of the first ring."""
    from scipy.sparse.linalg import LinearOperator, eigs  # slow to load

    states = shape[0] * shape[1]

    def go_round(chances: Array) -> Array:
        return back(there(chances.reshape(shape))).ravel()

    start = np.full(states, 1.0 / states)
    for _ in range(SETTLING):
        start = go_round(start)
    moves = LinearOperator((states, states), matvec=go_round, dtype=np.float64)
    _, vectors = eigs(moves, k=1, which="LR", v0=start, ncv=VECTORS, tol=TOLERANCE)
    chances = vectors[:, 0].real / vectors[:, 0].real.sum()
    return np.asarray(np.maximum(chances, 0.0).reshape(shape))


def _solved(ring: Ring, counts: Array, there: _Turn, back: _Turn) -> Polled:
    """Solve one ring from the counts at its polls."""
    found = counts.sum(axis=1)
    short, full = (_taken(part, back.burst) for part in there.elsewhere(counts))
    # Deep in the ring, every burst before one's own was full.
    away_ns = float(full.sum(axis=0) @ back.lengths_ns / max(float(full.sum()), 1e-300))
    spells = _spells(ring, (short, full), there, back)
    deep = replace(ring, away_ns=(away_ns,)) if full.sum() > 0.0 else ring
    sojourns_ns, chances = sojourns(deep, spells)
    taken = np.minimum(np.arange(found.size), ring.burst)
    return Polled(
        found=found, loss_ratio=loss_ratio(ring, spells), sojourns_ns=sojourns_ns, chances=chances,
        burst_packets_mean=float(taken @ found / (1.0 - found[0])),
    )  # fmt: skip


def _taken(counts: Array, burst: int) -> Array:
    """Turn counts found into packets taken, shape (.., burst + 1)."""
    return np.concatenate([counts[:, :burst], counts[:, burst:].sum(1, keepdims=True)], axis=1)


def _spells(ring: Ring, elsewhere: tuple[Array, Array], there: _Turn, back: _Turn) -> list[Spell]:
    """List rounds from one poll of the ring to the next, those of one length together."""
    short, full = elsewhere
    rounds: dict[float, Array] = {}
    for (taken, other), chance in np.ndenumerate(short):
        length_ns = round(float(there.lengths_ns[taken] + back.lengths_ns[other]), 6)
        rounds.setdefault(length_ns, np.zeros(ring.places + 1))[0] += chance
    for other, left in enumerate(full.T):
        length_ns = round(float(there.lengths_ns[-1] + back.lengths_ns[other]), 6)
        rounds.setdefault(length_ns, np.zeros(ring.places + 1))[: left.size] += left
    return [Spell(length_ns=length_ns, left=left, used=ring.burst)
            for length_ns, left in rounds.items() if left.sum() > UNLIKELY]  # fmt: skip
