"""What an operation costs: the time that it adds to a packet, by program load.

Every cost is a difference of two service times on the same lcores, burst and frame, so that what
lab and port take cancels. Program loads are drawn again (bootstrap) to say how well it is known:
one load shares its place in memory, and so its luck, among all its packets. A kind may cost
something once besides: a hash needs its fields copied before the first; and the first of a chain of
operations that wait for each other may hide behind other work, which makes it less than nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linerate.errors import bad_input
from linerate.models.runs.cells import Array

LEVEL_PERCENT = (5.0, 95.0)
"""Ends of a 90 % interval."""
DRAWS = 2000
SETUP_COUNTS_MIN = 3
"""Counts of a kind that tell a line with an intercept from one without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number and how well it is known."""

    value: float
    lower: float
    """5th percentile over the draws."""
    upper: float
    """95th percentile over the draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCost:
    """Cost of one kind of operation."""

    ns: Estimate
    """Of each operation: slope of a packet's time over their number, from that of none on, or,
    where there is a ``setup_ns``, between the numbers measured."""
    setup_ns: Estimate | None
    """What the kind costs once, beside ``ns`` for each: the line's intercept over none. Only where
    at least three counts show it, with an interval without 0."""
    counts: tuple[int, ...]
    """Operations a packet that were measured, ascending."""
    each_ns: tuple[float, ...]
    """At each of these, the added time over the count."""
    monotone: bool
    """Whether no larger count takes certainly less time than the count before."""

    @property
    def spread_ratio(self) -> float:
        """Dearest over cheapest of ``each_ns``, 1 where a cost is proportional to the count.

        Nan where one of them is not positive: it lies within the noise.
        """
        low = min(self.each_ns)
        return max(self.each_ns) / low if low > 0.0 else float("nan")


def operation_cost(
    none_ns: Array, counted_ns: Mapping[int, Array], rng: np.random.Generator
) -> OperationCost:
    """Cost of a kind of operation, by packets that have different numbers of it.

    Parameters
    ----------
    none_ns
        Service time of a packet without any, one of each program load, ns.
    counted_ns
        The same by the number of operations, each at least 1.
    rng
        Draws program loads.

    Raises
    ------
    BadInputError
        Nothing to compare.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 13: percentile intervals.

    Examples
    --------
    >>> cost = operation_cost(np.array([40.0, 40.0]), {10: np.array([60.0, 60.0])},
    ...                       np.random.default_rng(0))
    >>> cost.ns
    Estimate(value=2.0, lower=2.0, upper=2.0)
    """
    counts = tuple(sorted(counted_ns))
    if not counts or counts[0] < 1 or not len(none_ns):
        raise bad_input(
            "counts", counts, why="a cost is a difference to a packet without the operation",
            allowed="counts of 1 and more, and times of none", do="measure both",
        )  # fmt: skip
    none = drawn_medians(none_ns, rng)
    added = np.stack([drawn_medians(counted_ns[count], rng) - none for count in counts])
    times = np.array(counts, dtype=np.float64)
    steps = np.percentile(np.diff(added[:, 1:], axis=0), LEVEL_PERCENT[1], axis=1)
    ns, setup_ns = _line(times, added)
    return OperationCost(
        ns=ns,
        setup_ns=setup_ns,
        counts=counts,
        each_ns=tuple(float(one) for one in added[:, 0] / times),
        monotone=bool((steps >= 0.0).all()),
    )


def _line(times: Array, added: Array) -> tuple[Estimate, Estimate | None]:
    """Slope and intercept by least squares of relative errors; the simpler line if that can be."""
    if len(times) >= SETUP_COUNTS_MIN and (added > 0.0).all():
        weight = added**-2.0
        total, mean = weight.sum(axis=0), (weight * times[:, None]).sum(axis=0)
        square = (weight * times[:, None] ** 2).sum(axis=0)
        sums, products = (1.0 / added).sum(axis=0), (times[:, None] / added).sum(axis=0)
        determinant = total * square - mean**2
        setup = estimate_of((square * sums - mean * products) / determinant)
        if setup.lower > 0.0 or setup.upper < 0.0:
            return estimate_of((total * products - mean * sums) / determinant), setup
    return estimate_of(times @ added / (times @ times)), None


def added_ns(count: int, counts: Sequence[int], added: Array) -> Array:
    """Time that so many operations add, on straight lines between the counts measured.

    Parameters
    ----------
    count
        At most the largest measured.
    counts
        Measured, ascending, without 0.
    added
        Time added at each of them, shape (counts, draws), ns.

    Returns
    -------
    Shape (draws,), ns.

    Examples
    --------
    >>> added_ns(5, (10, 20), np.array([[10.0], [40.0]]))
    array([5.])
    """
    at = np.array((0, *counts), dtype=np.float64)
    known = np.vstack([np.zeros(added.shape[1]), added])
    upper = int(np.searchsorted(at, count))
    if upper == 0:
        return np.asarray(known[0])
    share = (count - at[upper - 1]) / (at[upper] - at[upper - 1])
    return np.asarray(known[upper - 1] + share * (known[upper] - known[upper - 1]))


def drawn_medians(times_ns: Array, rng: np.random.Generator) -> NDArray[np.float64]:
    """Median of program loads, first of all as they are, then of ``DRAWS`` drawn with return.

    Returns
    -------
    Shape (1 + DRAWS,), ns.
    """
    loads = np.asarray(times_ns, dtype=np.float64)
    drawn = rng.integers(0, loads.size, (DRAWS, loads.size))
    return np.concatenate([[np.median(loads)], np.median(loads[drawn], axis=1)])


def estimate_of(draws: Array) -> Estimate:
    """Take the first for the value, and the interval from the rest."""
    lower, upper = np.percentile(draws[1:], LEVEL_PERCENT)
    return Estimate(value=float(draws[0]), lower=float(lower), upper=float(upper))
