"""Busy share of a server, and of one that sleeps when idle and takes time to wake."""

from __future__ import annotations

import numpy as np

from linerate.models.runs.cells import Array


def utilisation(offered_mpps: Array, capacity_mpps: Array) -> Array:
    """Share of time that a server serves: the utilisation law, at most 1.

    >>> utilisation(np.array([1.0, 3.0]), np.array([2.0, 2.0]))
    array([0.5, 1. ])
    """
    return np.asarray(np.minimum(1.0, offered_mpps / capacity_mpps))


def wakeups_per_us(load_mpps: Array, service_time_ns: Array, setup_us: float) -> Array:
    """How often an M/G/1 server with set-up time is woken.

    Work is conserved, so the server serves for the share rho of the time whatever the set-up
    takes. The rest is cycles of one idle time, 1 / load on average, and one set-up, during which
    further packets gather.

    Parameters
    ----------
    load_mpps
        Load of one queue, shape (n,), above 0.
    service_time_ns
        Time of one packet, shape (n,).
    setup_us
        Time to wake the server.

    Returns
    -------
    Wake-ups in a microsecond, shape (n,); 0 from saturation on.

    References
    ----------
    Welch, On a generalized M/G/1 queuing process in which the first customer of each busy period
    receives exceptional service, Operations Research 12 (1964); Takagi, Queueing Analysis,
    vol. 1 (1991), ch. 2.

    Examples
    --------
    >>> wakeups_per_us(np.array([0.1, 2.0]), np.array([500.0, 500.0]), setup_us=9.0)
    array([0.05, 0.  ])
    """
    idle_ratio = np.maximum(1.0 - load_mpps * service_time_ns * 1e-3, 0.0)
    return np.asarray(idle_ratio / (1.0 / load_mpps + setup_us))


def busy_ratio(
    load_mpps: Array, service_time_ns: Array, *, setup_us: float = 0.0, wake_us: float = 0.0
) -> Array:
    """Share of time that a server works: serving, and waking up.

    Parameters
    ----------
    load_mpps, service_time_ns
        Of one queue, shape (n,).
    setup_us
        Time from an arrival at the sleeping server to its service.
    wake_us
        CPU time of one wake-up, falling asleep again included.

    Returns
    -------
    Share, shape (n,), at most 1. Without ``wake_us`` it is the utilisation law.

    Examples
    --------
    >>> busy_ratio(np.array([1.0, 3.0]), np.array([500.0, 500.0]))
    array([0.5, 1. ])
    """
    serving = load_mpps * service_time_ns * 1e-3
    waking = wake_us * wakeups_per_us(load_mpps, service_time_ns, setup_us)
    return np.asarray(np.minimum(1.0, serving + waking))


def fit_wake_us(load_mpps: Array, service_time_ns: Array, busy: Array, setup_us: float) -> float:
    """Fit the CPU time of one wake-up to measured busy shares, by least squares.

    Returns
    -------
    ``wake_us``, at least 0 and no more than leaves every share at most 1; 0 where no share was
    measured below saturation.
    """
    rho = load_mpps * service_time_ns * 1e-3
    below = np.isfinite(busy) & (rho < 1.0)
    if not below.any():
        return 0.0
    rate = wakeups_per_us(load_mpps[below], service_time_ns[below], setup_us)
    wake_us = float(rate @ (busy[below] - rho[below]) / (rate @ rate))
    least_cycle_us = float((1.0 / load_mpps[below]).min()) + setup_us
    return float(np.clip(wake_us, 0.0, least_cycle_us))
