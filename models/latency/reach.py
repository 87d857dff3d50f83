"""How far the mean latency of a run lies from its prediction, by runs that were held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linerate.models.intervals.scores import half_width
from linerate.models.latency.path import PathLatency, fit_below
from linerate.models.latency.quantiles import UTILISATION_MAX
from linerate.models.runs.cells import Array, Codes
from linerate.models.validation.folds import hold_out

PARTS = 3
"""Parts of the loads that are held out in turn where all runs are of one program load."""


def with_reach(
    path: PathLatency, load_mpps: Array, service_time_ns: Array, latency_us: Array, group: Codes
) -> PathLatency:
    """Add the log half-width of the interval that holds 90 % of the runs below 80 % of capacity.

    Each group's runs are held against the times outside the queue, to wake up and of stalls that
    the others show. The service times are those of all runs, so that the error of a capacity is
    not in it.

    Parameters
    ----------
    path
        Fitted on all.
    load_mpps, service_time_ns, latency_us
        Of one queue, shape (n,).
    group
        Runs of one program load share a code, shape (n,).
    """
    below = load_mpps * service_time_ns * 1e-3 <= UTILISATION_MAX
    parts = group if np.unique(group[below]).size > 1 else _by_load(load_mpps)
    scores = []
    for held in hold_out(parts):
        seen, asked = below & ~held, below & held
        if seen.any() and asked.any():
            fitted = fit_below(path, load_mpps[seen], service_time_ns[seen], latency_us[seen])
            said_us = fitted.below_us(load_mpps[asked], service_time_ns[asked])
            scores.append(np.log(latency_us[asked] / said_us))
    return replace(path, reach=half_width(np.concatenate(scores)) if scores else None)


def _by_load(load_mpps: Array) -> Codes:
    _, rank = np.unique(load_mpps, return_inverse=True)
    return np.asarray(rank % PARTS, dtype=np.intp)


def interval_us(path: PathLatency, load_mpps: float, service_time_ns: float) -> Array:
    """Lower and upper end of the mean latency of one run, us; nan above 80 % of saturation.

    Where nobody watched the machine for stalls, what they add is known by the fit alone: none of it
    and twice as much lie in the interval, too.
    """
    rho = load_mpps * service_time_ns * 1e-3
    if rho > UTILISATION_MAX or path.reach is None:
        return np.full(2, np.nan)
    mean_us = path.mean_us(load_mpps, service_time_ns)
    added_us = 0.0 if path.stalls_watched else path.stall_wait_us / (1.0 - rho)
    ends = np.array([mean_us - added_us, mean_us + added_us])
    return np.asarray(ends * np.exp([-path.reach, path.reach]))
