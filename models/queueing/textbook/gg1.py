"""One server, gamma gaps and gamma services: the wait by Spitzer's identity on a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.textbook.mg1k import CONSTANT_SCV
from linerate.models.queueing.textbook.transforms import gamma_cumulant

FINE = 64
"""Grid steps to the shorter of gap and service."""
NEGLIGIBLE = 32.0
"""A tail below exp(-32) of its beginning is cut."""
STEPS_MAX = 2**22
"""Grid of some 30 MB; a load nearer to saturation would need a longer one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waits before service, on a grid."""

    step_ns: float
    """Between two points of the grid."""
    within: Array
    """Share that waits at most 0, 1, 2, .. steps, shape (n,), ascending to 1."""
    mean_ns: float
    """Mean wait of all packets."""

    @property
    def waiting_ratio(self) -> float:
        """Share of packets that wait at all."""
        return 1.0 - float(self.within[0])

    def quantile_ns(self, ratio: ArrayLike) -> Array:
        """Quantiles of the wait; ``ratio`` 0.99 is p99. 0 where no more wait at all."""
        ratios = np.asarray(ratio, dtype=np.float64)
        steps = np.interp(ratios, self.within, np.arange(self.within.size, dtype=np.float64))
        return np.asarray(np.where(ratios <= self.within[0], 0.0, self.step_ns * steps))


def gg1_waits(load_mpps: float, service_time_ns: float, scvs: tuple[float, float]) -> Waits:
    """Solve GI/G/1 with gamma gaps and gamma services: mean and distribution of the wait.

    Exact but for the grid, 64 steps to the shorter of gap and service: the mean is within 0.01 %
    of closed forms (M/M/1, M/D/1, D/M/1), and within the interval of simulation for scv of 0 to 4
    of both and loads of 0.5 to 0.9; the chance to wait at all is short by up to 0.002, since a wait
    of less than half a step counts as none.

    Parameters
    ----------
    scvs
        Squared coefficients of variation of gaps and of service times.

    Raises
    ------
    BadInputError
        A load of 0, from saturation on, or so near to it that the grid gets too long.

    Notes
    -----
    With c_k the sum over n of P(n services exceed n gaps by k steps) / n, the transform of the wait
    is exp of the sum over k > 0 of c_k (z^k - 1). The c_k of both signs are the coefficients of
    -log(1 - u(z)), u being the transform of service less gap; that is evaluated on a circle
    on which u stays below 1.

    References
    ----------
    Spitzer, Trans. American Mathematical Society 82 (1956); Ackroyd, Computing the waiting time
    distribution for the G/G/1 queue by signal processing methods, IEEE Trans. Communications 28
    (1980).

    Examples
    --------
    >>> waits = gg1_waits(5.0, 100.0, (1.0, 1.0))
    >>> round(waits.mean_ns, 1), waits.quantile_ns(0.99).round(0)
    (100.0, np.float64(782.0))
    """
    if not 0.0 < load_mpps * service_time_ns < 1e3 or min(scvs) < 0.0:
        raise bad_input("load_mpps", load_mpps, why="the queue would grow without end",
                        allowed=f"above 0, below {1e3 / service_time_ns:.4g}, and scvs >= 0",
                        do="lower it, or give the queue an end")  # fmt: skip
    gap, service = (1e3 / load_mpps, scvs[0]), (service_time_ns, scvs[1])
    step_ns = min(gap[0], service[0]) / FINE
    if max(scvs) < CONSTANT_SCV:
        return Waits(step_ns=step_ns, within=np.ones(2), mean_ns=0.0)
    tilt = _decay(gap, service) / 2.0
    half = 1 << int(np.ceil(np.log2(max(NEGLIGIBLE / (tilt * step_ns), 1024.0))))
    if half > STEPS_MAX:
        raise bad_input("load_mpps", load_mpps, why="so near saturation that waits get too long",
                        allowed="a lower load", do="lower it, or simulate")  # fmt: skip
    return _waits(_spitzer(gap, service, tilt, (step_ns, half)), step_ns)


def _waits(coefficients: Array, step_ns: float) -> Waits:
    """From the c_k, k = 0.., of which the first counts for nothing."""
    padded = np.concatenate([coefficients, np.zeros_like(coefficients)])
    transform = np.exp(np.fft.rfft(padded) - coefficients.sum())
    chances = np.fft.irfft(transform, padded.size)[: coefficients.size]
    within = np.minimum(np.maximum.accumulate(np.cumsum(chances)), 1.0)
    mean_ns = step_ns * float(np.arange(coefficients.size) @ coefficients)
    # Where nobody waits, what rounding leaves may be less than nothing.
    return Waits(step_ns=step_ns, within=within, mean_ns=max(mean_ns, 0.0))


def _spitzer(
    gap: tuple[float, float], service: tuple[float, float], tilt: float, grid: tuple[float, int]
) -> Array:
    """Give c_k for k > 0, and 0 for k = 0."""
    step_ns, half = grid
    damping = np.exp(-tilt * step_ns * np.arange(half))
    longer, shorter = np.zeros(2 * half), np.zeros(2 * half)
    longer[:half] = _on_grid(service, grid) / np.maximum(damping, 1e-280)
    shorter[:half] = _on_grid(gap, grid) * damping
    # A gap shortens the wait: its steps run backwards.
    both = np.fft.rfft(longer) * np.conj(np.fft.rfft(shorter))
    found = -np.fft.irfft(np.log(1.0 - both), 2 * half)[:half] * damping
    found[0] = 0.0
    return np.asarray(found)


def _on_grid(time: tuple[float, float], grid: tuple[float, int]) -> Array:
    """Chances of 0, 1, .. steps: between two points a time counts to both, so the mean stays."""
    step_ns, count = grid
    beyond = _excess_ns(time, step_ns * np.arange(count + 1, dtype=np.float64))
    chances = np.append(1.0 - (beyond[0] - beyond[1]) / step_ns, np.diff(beyond, 2) / step_ns)
    return np.asarray(np.maximum(chances, 0.0))


def _excess_ns(time: tuple[float, float], at_ns: Array) -> Array:
    """Mean of what a gamma time has beyond each point, shape of ``at_ns``."""
    from scipy.special import gammaincc  # slow to load

    mean_ns, scv = time
    if scv < CONSTANT_SCV:
        return np.maximum(mean_ns - at_ns, 0.0)
    shape, scaled = 1.0 / scv, at_ns / (scv * mean_ns)
    longer = mean_ns * gammaincc(shape + 1.0, scaled) - at_ns * gammaincc(shape, scaled)
    return np.asarray(np.maximum(longer, 0.0))


def _decay(gap: tuple[float, float], service: tuple[float, float]) -> float:
    """Rate at which long waits become rarer, per ns: the root of E exp(x (service - gap)) = 1."""
    from scipy.optimize import brentq  # slow to load

    def log_mean(rate: float) -> float:
        return gamma_cumulant(*service, rate) + gamma_cumulant(*gap, -rate)

    mean_ns, scv = service
    high = (1.0 - 1e-12) / (scv * mean_ns) if scv >= CONSTANT_SCV else 1.0 / mean_ns
    while scv < CONSTANT_SCV and log_mean(high) < 0.0:
        high *= 2.0
        if high * mean_ns > 100.0:
            return high
    low = high * 1e-9
    return float(brentq(log_mean, low, high)) if log_mean(low) < 0.0 < log_mean(high) else high
