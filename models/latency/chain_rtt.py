"""Round trips through chains of functions: a fixed part, and as much again for each function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.runs.cells import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRtt:
    """Round-trip time of a chain at rest, when each packet finds all queues empty."""

    fixed_us: float
    """Host to host and back, and waking the first function."""
    function_us: float
    """One more function on the way."""

    def rtt_us(self, functions: ArrayLike) -> Array:
        """Round-trip time through so many functions, at least one, us."""
        return np.asarray(self.fixed_us + self.function_us * np.asarray(functions, np.float64))

    def __str__(self) -> str:
        return f"round trip = {self.fixed_us:.4g} us + {self.function_us:.4g} us * functions"


def fit_chain_rtt(functions: ArrayLike, rtt_us: ArrayLike) -> ChainRtt:
    """Fit round trips of chains of several lengths, by least squares of relative errors.

    A chain without any function does not lie on the line: it wakes nobody. So it is left out.

    Raises
    ------
    BadInputError
        Fewer than two lengths from one function on.

    Examples
    --------
    >>> print(fit_chain_rtt([0, 1, 2, 4], [90.0, 200.0, 225.0, 275.0]))
    round trip = 175 us + 25 us * functions
    """
    lengths, times_us = np.asarray(functions, np.float64), np.asarray(rtt_us, np.float64)
    kept = (lengths >= 1.0) & (times_us > 0.0)
    if np.unique(lengths[kept]).size < 2:
        raise bad_input("functions", np.unique(lengths), why="a line needs two points",
                        allowed="two or more, from 1 on", do="measure another")  # fmt: skip
    design = np.column_stack([np.ones(int(kept.sum())), lengths[kept]]) / times_us[kept, None]
    fixed_us, function_us = np.linalg.lstsq(design, np.ones(len(design)))[0]
    return ChainRtt(fixed_us=float(fixed_us), function_us=float(function_us))
