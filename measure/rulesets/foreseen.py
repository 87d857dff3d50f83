"""How many rules a core does not foresee: those that are too many and too mixed to remember."""

from __future__ import annotations

from collections.abc import Sequence

RUN = 8
"""Rules behind each other by which the next is foreseen."""
REMEMBERED = 256
"""Of such runs, about, on a Xeon of 2.5 GHz (300 rules drawn of four kinds took 7 % longer than
sorted ones, 1000 took 33 %, 100 as long)."""


def forgotten(shapes: Sequence[object]) -> int:
    """Count after how many runs of rules a core does not foresee what the next one executes.

    It learns where each jumps to by those before it. Of many runs it has forgotten some when they
    come again; where the same few follow each other it has learnt the next.

    >>> forgotten("ab" * 1000), forgotten("".join(map(str, range(1000)))) > 1000
    (0, True)
    """
    runs = {tuple(shapes[first : first + RUN]) for first in range(len(shapes) - RUN + 1)}
    return max(0, len(runs) - REMEMBERED)
