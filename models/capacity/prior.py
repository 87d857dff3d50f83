"""What is assumed of a constant before anything is measured: its order of magnitude.

A few cells do not tell every constant apart: a form that they support may still be fitted by a
kernel stage of no time at all, or by a growth that fits the residual of a single program load. What
a constant may be is known beforehand within wide limits, since memory copies some gigabytes a
second and a second queue does not double the time of the first. That knowledge is put into the fit
as one more run for each constant. Two dozen runs outweigh it; two do not.

References
----------
Shrinkage by weak priors as added data: Gelman et al., Bayesian Data Analysis (3rd ed., 2013),
sec. 14.8; priors that exclude only the absurd: Gelman et al., Ann. Appl. Stat. 2 (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What one constant is before any run."""

    centre: float
    """Where it is expected; in the logarithm of constants that are positive."""
    spread: float
    """How far off that may well be."""
    start: float
    """Where a fit begins: inside the bounds, so that the constant can move both ways."""
    highest: float
    """Largest value."""


LOAD_SPREAD = 0.08
"""Log spread of program loads: a reload changes the time of an access by several percent."""
DEVIATION = 0.08
"""Log spread of the truth around the physical form."""
LOGARITHMIC = ("base_ns", "access_ns", "user_ns")
"""Constants that are positive, and fitted by their logarithm."""
LOG_MIN, LOG_MAX = -12.0, 21.0
"""Ends of that logarithm: a packet takes more than 6e-6 ns and less than a second."""
USER_SHARE = Guess(
    centre=float(np.log(0.75)), spread=0.5, start=float(np.log(0.75)), highest=LOG_MAX
)
"""Log time of the user stage over that of the kernel stage: either copies the frame once."""
GUESSES = MappingProxyType({
    # A copy of 10 GB/s is 0.1 ns a byte.
    "byte_ns": Guess(centre=0.0, spread=0.1, start=0.02, highest=100.0),
    "exponent": Guess(centre=0.0, spread=0.3, start=0.02, highest=3.0),
    "sigma": Guess(centre=0.0, spread=0.3, start=0.02, highest=10.0),
    # 8 queues have 56 ordered pairs: together they may well double the time.
    "kappa": Guess(centre=0.0, spread=0.02, start=0.02, highest=10.0),
    "taper": Guess(centre=0.5, spread=0.3, start=0.5, highest=1.0),
    # A user thread may be left alone until the queues have taken every other core.
    "user_taper": Guess(centre=0.5, spread=0.5, start=0.5, highest=4.0),
    # A core of its own is at its full clock; of what slows it all may be the kernel's doing.
    "user_idle": Guess(centre=0.0, spread=0.5, start=0.3, highest=1.0),
    "crowding": Guess(centre=0.3, spread=0.3, start=0.3, highest=1.0),
})  # fmt: skip
"""Of each constant that is not a time which runs settle at once."""


def guess_of(name: str, prefix: str) -> Guess:
    """Find what is assumed of a constant; of the user stage the same as of the kernel's or its own.

    >>> guess_of("user_sigma", "user_") is GUESSES["sigma"]
    True
    """
    return GUESSES.get(name) or GUESSES[name.removeprefix(prefix)]


def bounds_of(name: str, prefix: str) -> tuple[float, float]:
    """Least and largest value of a constant that a fit may find.

    >>> bounds_of("crowding", "user_")
    (0.0, 1.0)
    """
    if name in LOGARITHMIC:
        return float(np.exp(LOG_MIN)), float(np.exp(LOG_MAX))
    return 0.0, guess_of(name, prefix).highest
