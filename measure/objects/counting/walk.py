"""Follow a program with a frame whose bytes are known.

Where a condition is not known, both ways are followed, each as half of the packets; the most
likely path first.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

from linerate.measure.objects.counting.machine import Machine
from linerate.measure.objects.counting.memory import Pointer
from linerate.measure.objects.counting.path import CONTEXT, Path
from linerate.measure.objects.instructions import Symbol

PATHS_MAX = 64
"""Of one frame."""
SHARE_MIN = 0.99
"""Of the packets: when so many are accounted for, the other paths are left."""


def first_path(machine: Machine, entry: Symbol, fresh: Path) -> Path:
    """Follow a packet to its end, the first way wherever a condition is not known."""
    fresh.enter(machine.function(entry), [Pointer(CONTEXT, 0)])
    while not fresh.ended:
        machine.step(fresh)
    return fresh


def all_paths(machine: Machine, entry: Symbol, fresh: Path) -> list[Path]:
    """Follow a packet on all its ways, the most likely first.

    Raises
    ------
    TooLongError
        More instructions than are followed.
    NotFollowedError
        An instruction that is not known.
    """
    fresh.enter(machine.function(entry), [Pointer(CONTEXT, 0)])
    order, share = count(), 0.0
    finished: list[Path] = []
    waiting = [(-fresh.probability, next(order), fresh)]
    while waiting and len(finished) < PATHS_MAX and share < SHARE_MIN:
        path = heappop(waiting)[2]
        while not path.ended:
            other = machine.step(path)
            if other is not None:
                path.probability = other.probability = path.probability / 2
                heappush(waiting, (-path.probability, next(order), path))
                heappush(waiting, (-other.probability, next(order), other))
                break
        else:
            finished.append(path)
            share += path.probability
    return finished
