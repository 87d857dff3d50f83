"""No operation takes less than no time: what constants must keep to, and the nearest that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np

from linerate.models.operations.terms import Knots, Named, Term
from linerate.models.operations.work import Work, class_of, differing
from linerate.models.runs.cells import Array

CLOSE = 1e-9
"""Relative slack of a bound that rounding explains."""


def bounds_of(works: Iterable[Work], knots: Knots) -> list[Named]:
    """Name the sums of constants that are not negative: fixed, slopes, misses, shared.

    Parameters
    ----------
    works
        Works whose kinds are bounded.
    knots
        As ``knots_of`` gives them: between two of them a cost is on a straight line.
    """
    kinds = dict.fromkeys((work.scope, kind) for work in works for kind, _ in work.steps)
    found: list[Named] = []
    for scope, kind in kinds:
        found += _bounds(scope, kind, (0, *knots.get((scope, class_of(kind)), ())))
    return found


def _bounds(scope: str, kind: str, at: tuple[int, ...]) -> Iterator[Named]:
    name = class_of(kind)
    yield {Term("fixed", scope, name): 1.0}
    yield {Term("miss", scope, kind): 1.0}
    yield {Term("shared", scope, kind): 1.0}
    slope = {Term("each", scope, name): 1.0}
    slope |= {Term("differs", scope, each): float(times)
              for each, times in Counter(differing(kind)).items()}  # fmt: skip
    yield slope
    for low, high in pairwise(at):
        ends = {Term("bend", scope, f"{high} {name}"): 1.0 / (high - low)}
        if low:
            ends[Term("bend", scope, f"{low} {name}")] = -1.0 / (high - low)
        yield slope | ends


def bounds_matrix(bounds: Iterable[Named], place: Mapping[Term, int]) -> Array:
    """Write bounds as rows of a matrix, shape (bounds, terms): none of its sums is negative.

    Parameters
    ----------
    bounds
        As ``bounds_of`` gives them.
    place
        Where each constant stands; one that is not there counts as 0.
    """
    rows = [{place[term]: weight for term, weight in one.items() if term in place}
            for one in bounds]  # fmt: skip
    rows = [row for row in rows if row]
    matrix = np.zeros((len(rows), len(place)))
    for number, row in enumerate(rows):
        matrix[number, list(row)] = list(row.values())
    return matrix


def bounded(values: Array, root: Array, matrix: Array) -> Array:
    """Move constants to the likeliest that keep every bound.

    Parameters
    ----------
    values
        Mean of the constants, shape (terms,).
    root
        Square root of their covariance, ``root @ root.T``, shape (terms, terms).
    matrix
        As ``bounds_matrix`` gives it.

    References
    ----------
    Least distance programming by non-negative least squares: Lawson and Hanson, Solving Least
    Squares Problems (1974), ch. 23.
    """
    short = matrix @ values
    if not len(matrix) or (short >= -CLOSE * np.abs(values).max()).all():
        return values
    from scipy.optimize import nnls  # slow to load

    system = np.vstack([(matrix @ root).T, -short])
    target = np.zeros(len(system))
    target[-1] = 1.0
    weights, _ = nnls(system, target, maxiter=50 * len(matrix))
    residual = system @ weights - target
    return np.asarray(values - root @ (residual[:-1] / residual[-1]))
