"""How much longer a packet takes when more queues work at once: growth laws g(q), g(1) = 1.

Throughput over q queues is ``q / (g(q) * service time)``, so that ``g = 1`` is linear scaling,
``g = q`` none at all, and a g that outgrows q makes more queues slower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.runs.cells import Array

Law = Literal["linear", "power", "amdahl", "tapered", "usl", "clocked"]
LAWS: tuple[Law, ...] = ("linear", "power", "amdahl", "tapered", "usl")
"""Simplest first. ``clocked`` is of user stages alone: tapered, with a part that is there even
where the kernel stages idle."""
COEFFICIENTS: dict[Law, tuple[str, ...]] = {
    "linear": (),
    "power": ("exponent",),
    "amdahl": ("sigma",),
    "tapered": ("sigma", "taper"),
    "usl": ("sigma", "kappa"),
    "clocked": ("sigma", "taper", "idle"),
}
"""Names of each law's coefficients, all >= 0: unconstrained fits extrapolate absurdly."""


def usl_growth(queues: ArrayLike, sigma: float | Array, kappa: float | Array) -> Array:
    """Growth of service time under the Universal Scalability Law.

    Parameters
    ----------
    queues
        Queues at work, any shape.
    sigma
        Contention: share of the work that is serial; Amdahl's law has only this.
    kappa
        Coherency: cost of each pair of cores that must agree.

    References
    ----------
    Gunther, Guerrilla Capacity Planning (2007), ch. 6; Amdahl, AFIPS (1967).

    Examples
    --------
    >>> usl_growth([1, 2, 4], sigma=0.1, kappa=0.01)
    array([1.  , 1.12, 1.42])
    """
    count = np.asarray(queues, dtype=np.float64)
    return 1.0 + sigma * (count - 1.0) + kappa * count * (count - 1.0)


def power_growth(queues: ArrayLike, exponent: float | Array) -> Array:
    """Growth that is the same for each doubling of the queues; exponent 1 is no gain at all.

    >>> power_growth([1, 2, 4], exponent=1.0)
    array([1., 2., 4.])
    """
    return np.power(np.asarray(queues, dtype=np.float64), exponent)


def tapered_growth(queues: ArrayLike, sigma: float | Array, taper: float | Array) -> Array:
    """Growth that the first further queue begins and each later one adds less to.

    A shared resource (a lock, a cache line, the memory) is most felt by the queue that first has
    to share it. Taper 1 is Amdahl's law, taper 0 a step from one queue to any more. Above 1 each
    further queue adds more: a thread is left its core until the queues have taken all others.

    >>> tapered_growth([1, 2, 5], sigma=0.4, taper=0.5)
    array([1. , 1.4, 1.8])
    """
    further = np.asarray(queues, dtype=np.float64) - 1.0
    grown = 1.0 + sigma * np.power(np.maximum(further, 1.0), taper)
    return np.asarray(np.where(further > 0.0, grown, 1.0), dtype=np.float64)


def growth(law: Law, queues: ArrayLike, coefficients: Sequence[float | Array]) -> Array:
    """Growth by any law, shape of ``queues``.

    >>> growth("amdahl", [1, 3], (0.5,))
    array([1., 2.])
    """
    if law == "power":
        return power_growth(queues, *coefficients)
    if law == "amdahl":
        return usl_growth(queues, coefficients[0], 0.0)
    if law in ("tapered", "clocked"):
        return tapered_growth(queues, *coefficients[:2])
    if law == "usl":
        return usl_growth(queues, *coefficients)
    return np.ones_like(np.asarray(queues, dtype=np.float64))


def usl_peak_queues(sigma: float, kappa: float) -> float:
    """Queues beyond which throughput declines; inf where it never does.

    References
    ----------
    Gunther (2007), eq. 4.33.

    Examples
    --------
    >>> usl_peak_queues(sigma=0.0, kappa=0.01)
    10.0
    """
    return math.sqrt(max(1.0 - sigma, 0.0) / kappa) if kappa > 0.0 else math.inf


def law_text(law: Law, coefficients: tuple[float, ...]) -> str:
    """Print a law with its numbers.

    >>> law_text("usl", (0.0, 0.0034))
    '(1 + 0(q-1) + 0.0034q(q-1))'
    """
    numbers = [f"{value:.3g}" for value in coefficients]
    if law == "power":
        return f"q^{numbers[0]}"
    if law == "amdahl":
        return f"(1 + {numbers[0]}(q-1))"
    if law in ("tapered", "clocked"):
        return f"(1 + {numbers[0]}(q-1)^{numbers[1]})"
    if law == "usl":
        return f"(1 + {numbers[0]}(q-1) + {numbers[1]}q(q-1))"
    return "1"
