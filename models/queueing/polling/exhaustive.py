"""A ring polled as NAPI does: what arrives during a poll is served in it, up to a budget."""

from __future__ import annotations

from itertools import islice

import numpy as np

from linerate.models.arrays import Array
from linerate.models.queueing.polling.ring import Ring
from linerate.models.queueing.polling.spells import Spell, filled, steady


def exhaustive_found(ring: Ring) -> Array:
    """Chance of 0..K packets at a poll, shape (K + 1,).

    From packet to packet of one poll the ring is a Markov chain that ends where nothing is left;
    as many steps as the budget, and what arrives while the core is away, lead to the next poll.
    """
    served, away = _served(ring), _away(ring)
    first, rest = served
    moves = first @ np.linalg.matrix_power(rest, ring.burst - 1) @ away
    idle = np.mean([filled(ring, ns)[ring.left(0)] for ns in ring.away(0)], axis=0)
    moves[0] = idle
    return steady(moves)


def exhaustive_spells(ring: Ring, found: Array) -> list[Spell]:
    """One spell of each packet of a poll, with the cost of the poll itself before the first."""
    first, rest = _served(ring)
    idle = np.zeros_like(found)
    idle[ring.left(0)] = found[0]
    asleep = ring.away(0)
    spells = [Spell(length_ns=ns, left=idle / len(asleep), used=ring.burst, woken=ring.sleeps)
              for ns in asleep]  # fmt: skip
    inside, length_ns, moves = np.append(0.0, found[1:]), ring.visit_ns, first
    ended = 0.0
    for used in range(1, ring.burst + 1):
        taken = np.append(inside[1:], 0.0)
        ended += inside[0]
        spells.append(Spell(length_ns=length_ns + ring.service_time_ns, left=taken, used=used))
        inside, length_ns, moves = np.append(0.0, inside[1:]) @ moves, 0.0, rest
    inside[0] += ended
    spells += [Spell(length_ns=ns, left=inside / len(ring.away_ns), used=ring.burst)
               for ns in ring.away_ns if ns > 0.0]  # fmt: skip
    return spells


def exhaustive_packets_mean(ring: Ring, spells: list[Spell]) -> float:
    """Packets of a poll that finds any."""
    services = islice(spells, len(ring.away(0)), len(ring.away(0)) + ring.burst)
    begun = [float(spell.left.sum()) for spell in services]
    return sum(begun) / begun[0]


def _served(ring: Ring) -> tuple[Array, Array]:
    """Chances to go on from one packet's service to the end of the next; first of a poll, others.

    A row for each count that is there as the packet is taken; where there is none, none comes.
    """
    size = ring.places + 1
    pair = []
    for length_ns in (ring.visit_ns + ring.service_time_ns, ring.service_time_ns):
        moves = np.zeros((size, size))
        moves[0, 0], moves[1:] = 1.0, filled(ring, length_ns)[:-1]
        pair.append(moves)
    return pair[0], pair[1]


def _away(ring: Ring) -> Array:
    return np.asarray(np.mean([filled(ring, ns) for ns in ring.away_ns], axis=0))
