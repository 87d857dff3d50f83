"""Where a falling function crosses a level.

`scipy.optimize` has the like, and takes longer to load than all the rest of an answer.
"""

from __future__ import annotations

from collections.abc import Callable

DOUBLINGS_MAX = 60
TURNS_MAX = 200
TOLERANCE = 1e-9
"""Of a crossing, as a share of a place beyond it."""
LEVEL_TOLERANCE = 1e-12
"""Of what the function is there, as a share of what it is above the level at 0."""


def crossing(falling: Callable[[float], float], level: float, scale: float) -> float:
    """Find it from 0 on, by false position, with a bisection each third time.

    Parameters
    ----------
    falling
        The function; it never rises.
    level
        What it falls to at last.
    scale
        A place of the crossing's order, from which the search begins.

    Returns
    -------
    0 where it is not above the level there.

    References
    ----------
    Dowell and Jarratt, A modified regula falsi method, BIT 11 (1971): the Illinois rule.

    Examples
    --------
    >>> crossing(lambda place: 3.0 - place, 1.0, scale=1.0)
    2.0
    """
    above = falling(0.0) - level
    if above <= 0.0:
        return 0.0
    exact = LEVEL_TOLERANCE * above
    low, high = 0.0, scale
    for _ in range(DOUBLINGS_MAX):
        if falling(high) < level:
            break
        high *= 2.0
    near = TOLERANCE * high
    below = falling(high) - level
    last = 0.0
    for turn in range(TURNS_MAX):
        if high - low <= near or below >= 0.0:
            break
        step = 0.5 if turn % 3 == 2 else above / (above - below)
        middle = low + (high - low) * step
        found = falling(middle) - level
        same_side = found * last > 0.0
        if abs(found) <= exact:
            return middle
        if found > 0.0:
            low, above, below = middle, found, below / (2.0 if same_side else 1.0)
        else:
            high, below, above = middle, found, above / (2.0 if same_side else 1.0)
        last = found
    return (low + high) / 2.0
