"""Median and p99 of latency below saturation: a power of the load, and a backlog.

The busier a queue, the less of its packets find its core asleep; the fuller a core, the longer
packets wait behind what stalls the machine. How long a stall is, and what else makes a tail, is
left to the constants.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.runs.cells import Array, Mask

UTILISATION_MAX = 0.8
"""Share of capacity up to which quantiles are claimed."""
QUANTILES = (0.5, 0.99)
TERMS = 4
LOADS_PER_TERM = 2
"""Different loads that each constant needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
    r"""One quantile on one path, of :math:`x = \ln\lambda` and :math:`b = \rho / (1 - \rho)`.

    .. math:: \ln T = c_0 + c_1 x + c_2 b + c_3 x^2
    """

    constants: tuple[float, ...]
    """From c_0 on; those that too few loads were seen for are left out. T is in us."""
    lightest_mpps: float
    heaviest_mpps: float
    """Loads of one queue between which x moves; beyond them it stays."""

    def latency_us(self, load_mpps: Array, service_time_ns: Array) -> Array:
        """Latency of one queue, shape (n,); nan from 80 % of saturation on.

        There the ring and the rate's own noise decide.
        """
        load = np.asarray(load_mpps, dtype=np.float64)
        utilisation = load * np.asarray(service_time_ns, dtype=np.float64) * 1e-3
        claimed = (utilisation > 0.0) & (utilisation <= UTILISATION_MAX)
        kept = np.clip(load, self.lightest_mpps, self.heaviest_mpps)
        terms = _terms(kept, np.where(claimed, utilisation, 0.0), len(self.constants))
        return np.where(claimed, np.exp(terms @ np.array(self.constants)), np.nan)

    def __str__(self) -> str:
        names = ("", " ln(Mpps)", " rho / (1 - rho)", " ln(Mpps)^2")
        parts = [f"{each:.3g}{name}" for each, name in zip(self.constants, names, strict=False)]
        return f"exp({' + '.join(parts)}) us"


def fit_quantile(load_mpps: Array, service_time_ns: Array, latency_us: Array) -> Quantile | None:
    """Fit a quantile to that of each run, by least absolute deviations of its logarithm.

    Single stalls scatter the p99 of a run by half its value, hence not by squares.

    Parameters
    ----------
    load_mpps, service_time_ns, latency_us
        Of one queue, shape (n,). Rows above 80 % of saturation are left out.

    Returns
    -------
    None where fewer than four rows are left.

    References
    ----------
    Koenker and Bassett, Regression Quantiles, Econometrica 46 (1978).
    """
    utilisation = load_mpps * service_time_ns * 1e-3
    rows = (utilisation <= UTILISATION_MAX) & (latency_us > 0.0) & (load_mpps > 0.0)
    load, full, seen = load_mpps[rows], utilisation[rows], np.log(latency_us[rows])
    if load.size < LOADS_PER_TERM**2:
        return None
    count = int(np.clip(np.unique(load).size // LOADS_PER_TERM, 1, TERMS))
    return Quantile(
        constants=tuple(map(float, _constants(_terms(load, full, count), seen))),
        lightest_mpps=float(load.min()), heaviest_mpps=float(load.max()),
    )  # fmt: skip


def _terms(load_mpps: Array, utilisation: Array, count: int) -> Array:
    logs, backlog = np.log(load_mpps), utilisation / (1.0 - utilisation)
    return np.column_stack([np.ones_like(logs), logs, backlog, logs**2])[:, :count]


def _constants(terms: Array, logs: Array) -> Array:
    """Least absolute deviations; a backlog shortens no latency."""
    from sklearn.linear_model import QuantileRegressor  # slow to load

    # Runs of a cell share their terms, and histograms name few latencies: each row once, weighed.
    rows, times = np.unique(np.column_stack([terms, logs]), axis=0, return_counts=True)
    terms, logs = rows[:, :-1], rows[:, -1]

    def fitted(columns: Mask) -> Array:
        model = QuantileRegressor(alpha=0.0, fit_intercept=False)
        found = np.zeros(columns.size)
        found[columns] = model.fit(terms[:, columns], logs, sample_weight=times).coef_
        return found

    kept = np.ones(terms.shape[1], dtype=np.bool_)
    found = fitted(kept)
    if found.size > 2 and found[2] < 0.0:
        kept[2] = False
        found = fitted(kept)
    return found
