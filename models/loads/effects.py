r"""Effects of groups and program loads on what a law leaves over, by frame sizes that were seen.

With :math:`r` the log of measured over fitted rate, :math:`w` the share of a packet's time that
accesses take and :math:`\delta` how many doublings two frame sizes are apart, residuals of one
group (datapath, program, queues, accesses) have the covariance

.. math:: \operatorname{cov}(r_i, r_j) = w_i w_j (\tau_g^2 + \tau^2 [\text{same load}])
    + \upsilon_g^2 e^{-\delta / \ell} + \upsilon^2 [\text{same load}] + \sigma^2 [i = j],

and what is not seen is expected by it (BLUP; Henderson, Biometrics 31, 1975).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.runs.cells import Array, Codes

STARTS = (-4.0, -2.5, -4.0, -5.0, 1.0, -4.0), (-6.0, -3.0, -3.0, -4.0, 0.5, -4.0)
"""Logs of the constants that a search begins with."""
LOGS = (-9.0, 3.0)
"""What they may be."""
UNLIKELY = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What a law leaves over of n runs of one group; every array has shape (n,)."""

    residual: Array
    share: Array
    """Of a packet's time that accesses take."""
    load: Codes
    doublings: Array
    """Of the frame's size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """Standard deviations of the effects on a path."""

    group_access: float
    load_access: float
    group: float
    load: float
    near: float
    """Doublings of a size over which a group's effect is alike."""
    noise: float

    def shared(self, one: Sizes, other: Sizes) -> Array:
        """Covariance of the effects of two sets of runs, shape (n, m)."""
        alike = one.load[:, None] == other.load[None, :]
        apart = np.abs(one.doublings[:, None] - other.doublings[None, :])
        access = self.group_access**2 + self.load_access**2 * alike
        packet = self.group**2 * np.exp(-apart / self.near) + self.load**2 * alike
        return np.asarray(np.outer(one.share, other.share) * access + packet)

    def covariance(self, seen: Sizes) -> Array:
        """Covariance of residuals, shape (n, n)."""
        return self.shared(seen, seen) + self.noise**2 * np.eye(seen.load.size)

    def unlikely(self, seen: Sizes) -> float:
        """Minus the log likelihood of one group's residuals, but for a constant."""
        root = np.linalg.cholesky(self.covariance(seen))
        white = np.linalg.solve(root, seen.residual)
        return float(0.5 * white @ white + np.log(np.diag(root)).sum())

    def expected(self, seen: Sizes, share: float, doublings: float) -> float:
        """Expect what the loads seen share at a size that was not: the median of theirs."""
        loads = np.unique(seen.load)
        asked = Sizes(residual=np.zeros(loads.size), share=np.full(loads.size, share), load=loads,
                      doublings=np.full(loads.size, doublings))  # fmt: skip
        pull = np.linalg.solve(self.covariance(seen), seen.residual)
        return float(np.median(self.shared(asked, seen) @ pull))

    @classmethod
    def fit(cls, groups: list[Sizes]) -> Spreads:
        """Find the spreads that make the residuals of all groups of a path most likely."""
        from scipy.optimize import minimize  # slow to load

        def of(logs: Array) -> Spreads:
            return cls(**dict(zip(cls.__slots__, map(float, np.exp(logs)), strict=True)))

        def unlikely(logs: Array) -> float:
            if np.min(logs) < LOGS[0] or np.max(logs) > LOGS[1]:
                return UNLIKELY
            tried = of(logs)
            return sum(tried.unlikely(one) for one in groups)

        found = [minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 350})
                 for start in STARTS]  # fmt: skip
        return of(min(found, key=lambda one: float(one.fun)).x)
