"""Rates of packets by the time that each holds a core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.line_rate import SUSTAINED_RATIO
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.runs.limit_names import LIMITS
from linerate.models.runs.limits import LINE, OFFERED, SERVICE
from linerate.normal import NORMAL_90
from linerate.records import Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketTimes:
    """Times that packets hold a core, each with its interval; arrays of shape (n,)."""

    times_ns: Array
    widths: Array
    """Log half-width of the 90 % interval of each median."""
    load_reach: float
    """Log half-width of one more load around a median."""
    inside: Mask
    """Whether each lies within what was measured."""

    def take(self, rows: Codes) -> PacketTimes:
        """Give each of n rows the time that it points to; ``rows`` has shape (n,)."""
        return PacketTimes(times_ns=self.times_ns[rows], widths=self.widths[rows],
                           load_reach=self.load_reach, inside=self.inside[rows])  # fmt: skip

    def rates(self, queues: Array, line_mpps: Array, offered_mpps: Array) -> Predictions:
        """Predict the rates of so many cores on a line.

        Parameters
        ----------
        queues
            Cores, shape (n,).
        line_mpps, offered_mpps
            What the line carries, and what comes; inf for a flood.
        """
        from scipy.special import ndtr  # slow to load

        of_load = one_load(self.widths, self.load_reach)
        service_mpps = queues * 1e3 / self.times_ns
        ceiling_mpps = np.minimum(line_mpps, offered_mpps)
        ceiling = np.where(offered_mpps < line_mpps, OFFERED, LINE)
        needed = np.log(SUSTAINED_RATIO * line_mpps / service_mpps)

        def at(log_ratio: Array) -> Array:
            return np.minimum(service_mpps * np.exp(log_ratio), ceiling_mpps)

        return Predictions(
            predicted_mpps=np.minimum(service_mpps, ceiling_mpps),
            lower_mpps=at(-of_load),
            upper_mpps=at(of_load),
            lower_median_mpps=at(-self.widths),
            upper_median_mpps=at(self.widths),
            sustains_line_rate=np.asarray(ndtr(-needed / (of_load / NORMAL_90))),
            bottleneck=np.array(LIMITS)[np.where(service_mpps < ceiling_mpps, SERVICE, ceiling)],
            in_domain=self.inside,
        )


def one_load(widths: Array, load_reach: float) -> Array:
    """Log half-widths of one load: how far its work's median lies, and the load from there.

    >>> one_load(np.array([0.03]), 0.04)
    array([0.05])
    """
    return np.asarray(np.hypot(widths, load_reach))
