"""Follow a program with a frame whose bytes are known.

Where a condition is not known, both ways are followed, each with its share of the packets; the most
likely path first.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

from linerate.measure.objects.code.instructions import Symbol
from linerate.measure.objects.counting.machine import Machine
from linerate.measure.objects.counting.memory import Pointer
from linerate.measure.objects.counting.path import CONTEXT, Path

PATHS_MAX = 64
"""Of one frame."""
SHARE_MIN = 0.99
"""Of the packets: when so many are accounted for, the other paths are left."""


def paths_of(
    machine: Machine, entry: Symbol, fresh: Path, paths_max: int = PATHS_MAX
) -> list[Path]:
    """Follow a packet on its ways, the most likely first.

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
    while waiting and len(finished) < paths_max and share < SHARE_MIN:
        path = heappop(waiting)[2]
        while not path.ended:
            other = machine.step(path)
            if other is not None:
                heappush(waiting, (-path.probability, next(order), path))
                heappush(waiting, (-other.probability, next(order), other))
                break
        else:
            finished.append(path)
            share += path.probability
    return finished
