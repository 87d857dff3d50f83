"""Constants of the terms: least squares of relative errors, with priors where runs are silent.

A step is first of all proportional to its number; that it costs something once, that some numbers
are off the line, and that a kind differs from its class is believed only as far as the runs ask for
it, which is what lets be predicted what was not measured. A constant that the runs do not tell
keeps the width of its prior, and what depends on it is not answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from linerate.models.operations.bounds import bounded, bounds_matrix
from linerate.models.operations.terms import Named, Sort, Term
from linerate.models.operations.work import STRAIGHT, class_of
from linerate.models.runs.cells import Array

ERROR = 0.03
"""Relative error of a cell's median: about the random effect of a program load."""
HUBER = 2.5
"""Errors beyond which a cell weighs less."""
ROUNDS = 4
"""Times that weights, and the scales of priors, are taken from the fit before."""
WIDE = 1e3
"""Prior of a constant that nothing is known of, in typical packets."""
OF_PACKET: dict[Sort, float] = {
    "base": WIDE, "each": WIDE, "miss": WIDE, "shared": WIDE, "setting": 0.1, "fixed": 0.5,
}  # fmt: skip
"""Standard deviation of a prior, in the quarter of packets of its scope that take least."""
OF_STEP: dict[Sort, float] = {"bend": 0.4, "differs": 0.5, "interaction": 0.4}
"""The same, in what the operations take by the cost of each of their class."""
OF_LOOP = 0.15
"""How much narrower these two are of what costs once and of bends where steps are a loop's."""
LEAST = 1e-3
"""Smallest standard deviation of a prior, in typical packets."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Constants and how well they are known."""

    place: Mapping[Term, int]
    """Where each constant stands."""
    values: Array
    """ns, shape (terms,)."""
    covariance: Array
    """Of the values, ns2, shape (terms, terms)."""

    def sum_ns(self, named: Named) -> tuple[float, float]:
        """Sum of terms and its standard deviation; terms that are not known count as 0."""
        known = [(self.place[term], weight) for term, weight in named.items() if term in self.place]
        if not known:
            return 0.0, 0.0
        at, weights = np.array([code for code, _ in known]), np.array([w for _, w in known])
        variance = float(weights @ self.covariance[np.ix_(at, at)] @ weights)
        return float(weights @ self.values[at]), float(np.sqrt(max(variance, 0.0)))

    def error_ns(self, term: Term) -> float:
        """Say how well one constant is known: its standard deviation, inf where not at all."""
        place = self.place.get(term)
        return np.inf if place is None else float(np.sqrt(self.covariance[place, place]))


def solve(
    rows: Sequence[Named],
    times_ns: Array,
    hidden_ns: Array | float = 0.0,
    bounds: Sequence[Named] = (),
) -> Solution:
    """Fit constants to packets' times.

    Parameters
    ----------
    rows
        Terms of each packet with how often each counts.
    times_ns
        Its time, shape (rows,).
    hidden_ns
        What of the sum of its terms is not seen in its time, shape (rows,).
    bounds
        Sums of constants that are not negative.

    References
    ----------
    Ridge as a prior, and its posterior: Bishop, Pattern Recognition and Machine Learning (2006),
    sec. 3.3; weights: Huber, Robust Statistics (1981), ch. 7.
    """
    place = {term: code for code, term in enumerate(dict.fromkeys(t for row in rows for t in row))}
    design = np.zeros((len(rows), len(place)))
    for number, row in enumerate(rows):
        design[number, [place[term] for term in row]] = list(row.values())
    prior_of = priors(place, typical_ns(rows, times_ns))
    kept = bounds_matrix(bounds, place)
    sums_ns, scale_ns = times_ns + hidden_ns, ERROR * times_ns
    values, weights = np.zeros(len(place)), np.ones(len(rows))
    covariance = np.zeros((len(place), len(place)))
    for _ in range(ROUNDS):
        prior = prior_of(values)
        weight = np.sqrt(weights) / scale_ns
        scaled = design * weight[:, None] * prior
        # Of the precision: its inverse may be singular by rounding where terms are alike.
        factor = np.linalg.cholesky(scaled.T @ scaled + np.eye(len(place)))
        half = np.asarray(np.linalg.inv(factor).T, dtype=np.float64)
        inverse = half @ half.T
        values = prior * (inverse @ (scaled.T @ (weight * sums_ns)))
        values = bounded(values, prior[:, None] * half, kept)
        covariance = prior[:, None] * inverse * prior
        left = np.abs(design @ values - sums_ns) / scale_ns
        weights = np.minimum(1.0, HUBER / np.maximum(left, 1e-12))
    return Solution(place=place, values=values, covariance=covariance)


def typical_ns(rows: Sequence[Named], times_ns: Array) -> dict[str, float]:
    """Take the time of a packet of each scope: that which a quarter of its rows are below, ns."""
    found: dict[str, list[float]] = {}
    for row, time_ns in zip(rows, times_ns, strict=True):
        found.setdefault(next(iter(row)).scope, []).append(float(time_ns))
    return {scope: float(np.quantile(times, 0.25)) for scope, times in found.items()}


def priors(
    place: Mapping[Term, int], packet_ns: Mapping[str, float],
    of_packet: Mapping[Sort, float] = MappingProxyType(OF_PACKET),
) -> Callable[[Array], Array]:  # fmt: skip
    """Prior's standard deviation of each constant, given the constants of the round before.

    Parameters
    ----------
    place
        Where each constant stands.
    packet_ns
        Time of a packet of each scope.
    of_packet
        Standard deviations in such packets, of the sorts that have one.
    """
    narrow = np.array([OF_LOOP if term.sort in ("fixed", "bend") and term.scope not in STRAIGHT
                       else 1.0 for term in place])  # fmt: skip
    fixed = np.array([of_packet.get(term.sort, LEAST) * packet_ns[term.scope] for term in place])
    # Of the rest: which constants say what a step takes, and how often it is taken.
    uses = np.zeros((len(place), len(place)))
    for term, code in place.items():
        if term.sort in OF_STEP:
            for name, times in _classes(term):
                each = place.get(Term("each", term.scope, name))
                if each is not None:
                    uses[code, each] += OF_STEP[term.sort] * times
    return lambda values: np.asarray(narrow * np.maximum(fixed, uses @ np.abs(values)))


def _classes(term: Term) -> list[tuple[str, int]]:
    """Classes whose cost of each operation a constant is measured by, and how often."""
    if term.sort == "bend":
        knot, name = term.name.split(" ", 1)
        return [(name, int(knot))]
    return [(class_of(kind), 1) for kind in term.name.split(" + ")]
