"""Distributions of waits by their Laplace transforms: M/G/1, alone, with set-up, with vacations.

A wait is a sum of independent parts, so its transform is a product; what the set-up or the vacation
of the server adds is one factor more (Fuhrmann and Cooper 1985).
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.textbook.mg1k import CONSTANT_SCV

Complex = NDArray[np.complex128]
Transform = Callable[[Complex], NDArray[np.complexfloating]]
EULER_TERMS, EULER_MEANS = 60, 14
"""Terms of the series, and partial sums that are averaged."""
EULER_ERROR = 18.4
"""Discretisation error: exp(-18.4) = 1e-8."""


def gamma_transform(mean_ns: float, scv: float) -> Transform:
    """Of a gamma time: constant with scv 0, exponential with 1."""
    if scv < CONSTANT_SCV:
        return lambda s: np.exp(-s * mean_ns)
    return lambda s: np.asarray((1.0 + scv * mean_ns * s) ** (-1.0 / scv))


def gamma_cumulant(mean_ns: float, scv: float, rate: float) -> float:
    """Log of the mean of exp(rate * time) of a gamma time, for a real rate per ns.

    To the last digits where the time hardly varies, too.
    """
    return float(mean_ns * rate if scv < CONSTANT_SCV else -np.log1p(-scv * mean_ns * rate) / scv)


def mg1_transform(load_mpps: float, service_time_ns: float, service_scv: float) -> Transform:
    """Of the wait in M/G/1 with gamma service.

    References
    ----------
    Kleinrock, Queueing Systems, vol. 1 (1975), eq. 5.105 (Pollaczek-Khinchine).
    """
    rate, rho = load_mpps * 1e-3, load_mpps * service_time_ns * 1e-3
    if not 0.0 < rho < 1.0:
        raise bad_input("load_mpps", load_mpps, why="the queue would grow without end",
                        allowed=f"above 0, below {1e3 / service_time_ns:.4g}",
                        do="lower it, or give the queue an end")  # fmt: skip
    service = gamma_transform(service_time_ns, service_scv)
    return lambda s: (1.0 - rho) * s / (s - rate + rate * service(s))


def burst_transform(
    load_mpps: float, service_time_ns: float, service_scv: float, burst_packets: int
) -> Transform:
    """Of the wait in M[b]/G/1, where packets arrive in Poisson bursts of b.

    A burst waits as one packet of b services in M/G/1, and each packet for those before it in its
    burst. Exact; constant service makes kinks, which the inversion smears (``wait_ccdf``).

    References
    ----------
    Gross and Harris, Fundamentals of Queueing Theory, 3rd ed. (1998), sec. 5.1.9; Burke, Operations
    Research 23 (1975), for the packets of one burst.
    """
    bursts = mg1_transform(load_mpps / burst_packets, service_time_ns * burst_packets,
                           service_scv / burst_packets)  # fmt: skip
    service = gamma_transform(service_time_ns, service_scv)

    def law(s: Complex) -> NDArray[np.complexfloating]:
        places = np.stack([service(s) ** before for before in range(burst_packets)])
        return np.asarray(bursts(s) * places.mean(axis=0))

    return law


def setup_transform(
    load_mpps: float, setup_ns: float, setup_scv: float = 0.0, *, law: Transform | None = None
) -> Transform:
    """Of what a set-up time adds to the wait, where the server sleeps as soon as it is idle.

    Parameters
    ----------
    setup_ns
        Its mean.
    law
        Its own transform, where it is not a gamma time of ``setup_scv``.

    References
    ----------
    Takagi, Queueing Analysis, vol. 1 (1991), sec. 2.3; Welch, Operations Research 12 (1964).
    """
    rate, setup = load_mpps * 1e-3, law or gamma_transform(setup_ns, setup_scv)
    return lambda s: (1.0 + (rate - s) * (1.0 - setup(s)) / s) / (1.0 + rate * setup_ns)


def vacation_transform(vacation_ns: float, vacation_scv: float = 0.0) -> Transform:
    """Of what vacations add to the wait, taken until packets are found: the rest of one.

    References
    ----------
    Fuhrmann and Cooper, Stochastic decompositions in the M/G/1 queue with generalized vacations,
    Operations Research 33 (1985).
    """
    vacation = gamma_transform(vacation_ns, vacation_scv)
    return lambda s: (1.0 - vacation(s)) / (s * vacation_ns)


def wait_ccdf(parts: tuple[Transform, ...], beyond_ns: ArrayLike) -> Array:
    """Share of packets whose wait, a sum of independent parts, is longer than ``beyond_ns``.

    Good to some 1e-7 where the distribution is smooth. Constant times make kinks, at which it is
    off by up to some 1e-3; for M/D/1 use ``md1_wait_ccdf``, which is exact. A constant set-up
    before constant service at a light load is nearly one single time, which is smeared: p99 is
    15 % too long at 5 % of saturation, within 10 % from half of it on; ``polled`` is exact there.

    Returns
    -------
    Shape of ``beyond_ns``, 0 to 1.

    References
    ----------
    Abate and Whitt, Numerical inversion of Laplace transforms of probability distributions,
    ORSA Journal on Computing 7 (1995), algorithm EULER.

    Examples
    --------
    >>> wait_ccdf((mg1_transform(5.0, 100.0, 1.0),), [200.0]).round(6)
    array([0.18394])
    """
    nodes = euler_nodes(beyond_ns)
    value = np.ones_like(nodes)
    for part in parts:
        value = np.asarray(value * part(nodes), dtype=np.complex128)
    return inverted(value, nodes, beyond_ns)


def euler_nodes(beyond_ns: ArrayLike) -> Complex:
    """Where the inversion asks for a transform, per ns: shape of ``beyond_ns`` and (75,)."""
    turns = EULER_ERROR + 2j * np.pi * np.arange(EULER_TERMS + EULER_MEANS + 1)
    return np.asarray(turns / (2.0 * _positive(beyond_ns)[..., None]), dtype=np.complex128)


def inverted(value: Complex, nodes: Complex, beyond_ns: ArrayLike) -> Array:
    """Share of times longer than ``beyond_ns``, whose transform has these values at its nodes."""
    terms = ((1.0 - value) / nodes).real * (-1.0) ** np.arange(nodes.shape[-1])
    terms[..., 0] /= 2.0
    partial = np.cumsum(terms, axis=-1)[..., EULER_TERMS:]
    weight = (
        np.array([comb(EULER_MEANS, part) for part in range(EULER_MEANS + 1)]) / 2.0**EULER_MEANS
    )
    share = np.exp(EULER_ERROR / 2.0) / _positive(beyond_ns) * (partial @ weight)
    return np.asarray(np.clip(share, 0.0, 1.0))


def _positive(beyond_ns: ArrayLike) -> Array:
    return np.maximum(np.asarray(beyond_ns, dtype=np.float64), 1e-6)
