"""What runs of a program on the box that is asked about say of its answer there.

A prediction is off by so many ns of the program, where it was timed on another machine most, and by
a share of the base. Both are normal before any run. A run tells their sum for its frame size and
queues, and its own noise with it; what is known afterwards is the conditioned normal (a Bayesian
linear model; Bishop, Pattern Recognition and Machine Learning, 2006, sec. 3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CARRIED_LOG = 0.4
"""Standard deviation of the logarithm of a program's time on another kind of CPU over what the
yardsticks say: found on two machines (docs/models/objects/other-box.md)."""
RUN_RATIO = 0.03
"""Standard deviation of one run from the next load of its cell, as a share of a packet's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunThere:
    """One run of the program on the box that is asked about, below line rate."""

    frame_bytes: float
    queues: int
    packet_ns: float
    """Time of a packet on one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What is known of a prediction's error."""

    program_ns: float
    """What the program takes more than was said, expected."""
    base_ratio: float
    """What the base takes more, as a share of it, expected."""
    covariance: NDArray[np.float64]
    """Of both, shape (2, 2): ns and a share."""

    def deviation_ns(self, base_ns: float) -> float:
        """Take the standard deviation of what is left open of a packet's time, with such a base."""
        slopes = np.array([1.0, base_ns])
        return float(np.sqrt(slopes @ self.covariance @ slopes))


def learn(
    program_deviation_ns: float, base_deviation: float, seen: Sequence[tuple[float, float, float]]
) -> Learnt:
    """Condition what is believed of a prediction's error on what runs showed.

    Parameters
    ----------
    program_deviation_ns, base_deviation
        Standard deviations before: ns, and a share of the base.
    seen
        Of each run what a packet took more than was said, the base that was said, and the standard
        deviation of its own noise, ns.

    >>> before = learn(30.0, 0.1, [])
    >>> after = learn(30.0, 0.1, [(20.0, 100.0, 5.0)])
    >>> round(before.deviation_ns(100.0), 1), round(after.deviation_ns(100.0), 1)
    (31.6, 4.9)
    >>> round(after.program_ns, 1), round(after.base_ratio, 3)
    (17.6, 0.02)
    """
    covariance = np.diag([program_deviation_ns**2, base_deviation**2])
    expected = np.zeros(2)
    for error_ns, base_ns, noise_ns in seen:
        slopes = np.array([1.0, base_ns])
        gain = covariance @ slopes / (slopes @ covariance @ slopes + noise_ns**2)
        expected = expected + gain * (error_ns - slopes @ expected)
        covariance = covariance - np.outer(gain, slopes @ covariance)
    return Learnt(
        program_ns=float(expected[0]), base_ratio=float(expected[1]), covariance=covariance
    )
