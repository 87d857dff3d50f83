"""Mean waits where the server is not always there: it sleeps and wakes, or looks elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array


def setup_wait_ns(load_mpps: ArrayLike, setup_ns: ArrayLike, setup_scv: float = 0.0) -> Array:
    """Mean wait that a set-up time adds to M/G/1, whatever the service, ns.

    The packet that wakes the server pays all of it, those that arrive meanwhile the rest.

    References
    ----------
    Welch, Operations Research 12 (1964); Takagi, Queueing Analysis, vol. 1 (1991), sec. 2.3.

    Examples
    --------
    >>> setup_wait_ns([1e-9, 1.0], 9000.0).round(1)
    array([9000., 4950.])
    """
    setup = np.asarray(setup_ns, dtype=np.float64)
    gathered = np.asarray(load_mpps, dtype=np.float64) * 1e-3 * setup
    return np.asarray(setup * (1.0 + gathered * (1.0 + setup_scv) / 2.0) / (1.0 + gathered))


def vacation_wait_ns(vacation_ns: ArrayLike, vacation_scv: float = 0.0) -> Array:
    """Mean wait that vacations add to M/G/1: the mean rest of one, ns.

    References
    ----------
    Fuhrmann and Cooper, Operations Research 33 (1985); Kleinrock, vol. 1 (1975), eq. 5.16.

    Examples
    --------
    >>> vacation_wait_ns(100.0)
    array(50.)
    """
    return np.asarray(np.asarray(vacation_ns, dtype=np.float64) * (1.0 + vacation_scv) / 2.0)
