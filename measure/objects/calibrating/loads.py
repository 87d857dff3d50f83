"""A cost over several loads of a program: where the JIT places it changes its speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linerate.box import Cost


def cost_over_loads(loads_ns: NDArray[np.float64]) -> Cost:
    """Take the median over loads, with the smallest and the largest.

    Parameters
    ----------
    loads_ns
        Times, shape (loads,), at least one.
    """
    return Cost(value_ns=float(np.median(loads_ns)), lower_ns=float(loads_ns.min()),
                upper_ns=float(loads_ns.max()))  # fmt: skip
