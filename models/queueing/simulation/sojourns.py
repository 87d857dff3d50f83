"""What a simulation saw: the time of each packet that got through, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array

WARM_UP_RATIO = 0.1
"""First share of the packets, which still see the empty start."""
BATCHES = 20
"""Batches of packets in sequence whose means are taken as independent."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Sojourns:
    """Times of the packets of one simulation, in order of arrival, warm-up left out."""

    time_ns: Array
    """Time of each packet, shape (n,); nan where it was lost."""

    @property
    def loss_ratio(self) -> float:
        """Share of packets that were lost."""
        return float(np.isnan(self.time_ns).mean())

    @property
    def mean_ns(self) -> float:
        """Mean of those that got through; nan where none did."""
        through = self.time_ns[~np.isnan(self.time_ns)]
        return float(through.mean()) if through.size else float("nan")

    @property
    def mean_half_width_ns(self) -> float:
        """Half the width of the 95 % confidence interval of the mean, by batch means.

        References
        ----------
        Law and Kelton, Simulation Modeling and Analysis, 3rd ed. (2000), sec. 9.5.3.
        """
        means = [float(np.nanmean(batch)) for batch in np.array_split(self.time_ns, BATCHES)]
        return half_width(means)

    def quantile_ns(self, ratio: ArrayLike) -> Array:
        """Quantiles of those that got through; ``ratio`` 0.99 is p99."""
        return np.asarray(
            np.nanquantile(self.time_ns, np.asarray(ratio, dtype=np.float64)), dtype=np.float64
        )


def half_width(means: list[float]) -> float:
    """Half the width of the 95 % confidence interval of a mean of independent means."""
    from scipy.special import stdtrit  # slow to load

    quantile = float(stdtrit(len(means) - 1, 0.5 + CONFIDENCE / 2))
    return quantile * float(np.std(means, ddof=1)) / float(np.sqrt(len(means)))


def without_warm_up(time_ns: Array) -> Sojourns:
    """Drop the packets that came first."""
    return Sojourns(time_ns=time_ns[int(WARM_UP_RATIO * time_ns.size) :])
