"""Costs of one machine carried over to another, by a few packets that were timed there.

What an operation costs on another machine is its cost here times a factor. The factors of all
operations have a part in common, for one machine is faster than the other, and each class of
operations has a part of its own. Before anything is timed there both are normal about 1. Times of
packets that are known by what they execute then say where the costs lie: a linear normal update.
What no such packet executes moves by the common part alone, and stays as unsure as its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from linerate.errors import bad_input
from linerate.models.operations.bounds import bounded, bounds_matrix, bounds_of
from linerate.models.operations.fit import ERROR, HUBER, ROUNDS, Solution
from linerate.models.operations.model import TOGETHER, Mixes
from linerate.models.operations.predictor import MixPredictor
from linerate.models.operations.terms import Term
from linerate.models.operations.work import STRAIGHT, Work, class_of
from linerate.models.runs.cells import Array
from linerate.normal import NORMAL_90

COMMON, OWN = 0.4, 0.3
"""Standard deviations of a factor's common part and of a class's own: together the 0.5 that a
constant is taken to differ by between boxes (`linerate.models.capacity.transfer`)."""
WITHIN = 0.12
"""Standard deviation of the factor of a kind and number about that of its class: between the
shipped costs of pipelines and two tables of another maker's CPU it was 0.12 and 0.13
(docs/models/operations/carried.md)."""
KNOWN_ERRORS = 3.0
"""Standard deviations from 0 from which on a cost is known to be one, and has a factor."""
HALF_RANGE = 0.96
"""Root mean square of half of what three normal samples range over, in their standard deviations:
half the root of 1.693^2 + 0.888^2."""
WAY = "way"
"""Class of the base path and of the settings that change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWork:
    """What packets that execute a work took on the other machine."""

    work: Work
    value_ns: float
    """Median over program loads."""
    error: float
    """Half of what the logarithms of three program loads range over, no less than the standard
    error of their median."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedMixes:
    """Costs as of another machine; it prices packets as `MixPredictor` does."""

    lender: MixPredictor
    """Of the machine whose costs these were: how far off its form is."""
    model: Mixes
    factors: Mapping[str, float]
    """Of each class of operations whose cost was known, ``way`` among them: its cost on the other
    machine over that of the lender."""
    borrowed: Mapping[str, float]
    """Share of what is open of a factor beforehand that stays open, 0 to 1: 1 says that nothing
    was timed that has it."""
    load_reach: float
    """Log half-width of one more load around a median, by the loads that were timed; as it was on
    the lender where none were."""

    @classmethod
    def of(cls, lender: MixPredictor, scope: str, timed: Sequence[TimedWork]) -> Self:
        """Carry the costs of one scope over.

        Parameters
        ----------
        lender
            Costs of another machine.
        scope
            Datapath whose costs are carried; those of others stay as they are.
        timed
            What was timed on this machine; none leaves the costs as they are, and unsure.

        Raises
        ------
        BadInputError
            A work of another datapath, or with operations that have no cost.
        """
        for each in timed:
            _check(lender, scope, each)
        before = lender.model.solution
        open_ns2 = _open(before, scope)
        rows = np.array([_row(lender.model, each.work) for each in timed])
        rows = rows.reshape(len(timed), len(before.place))
        took_ns = np.array([each.value_ns for each in timed])
        errors = np.hypot([each.error for each in timed], ERROR)
        errors = np.hypot(errors, [_within(lender.model, each.work) for each in timed])
        prior = Solution(place=before.place, values=before.values,
                         covariance=before.covariance + open_ns2)  # fmt: skip
        after = _kept(_updated(prior, rows, took_ns, errors * took_ns), lender)
        known = _known(before, scope)
        return cls(
            lender=lender, model=replace(lender.model, solution=after),
            factors={name: float(after.values[code] / before.values[code])
                     for name, code in known.items()},
            borrowed={name: float(after.covariance[code, code] / prior.covariance[code, code])
                      for name, code in known.items()},
            load_reach=_load_reach(timed) or lender.load_reach,
        )  # fmt: skip

    def time_of(self, work: Work) -> tuple[float, float]:
        """Time of a packet, ns, and the log half-width of the 90 % interval of its median.

        The width is how far off the costs were where they were measured, and what is open of
        the factors on top of it.

        Raises
        ------
        BadInputError
            What was measured leaves it no time.
        """
        time_ns, error_ns = self.model.time_ns(work)
        if not (0.0 < time_ns < np.inf and np.isfinite(error_ns)):
            raise bad_input("operations", work, why=f"the costs that were carried make it "
                            f"{time_ns:.3g} ns", allowed=self.lender.known(),
                            do="calibrate again, or leave the box out")  # fmt: skip
        of_form = self.lender.reach_of(work, time_ns, 0.0)
        of_factors = np.hypot(error_ns / time_ns, _within(self.model, work))
        return time_ns, float(np.hypot(of_form, NORMAL_90 * of_factors))


def _check(lender: MixPredictor, scope: str, timed: TimedWork) -> None:
    strange = [kind for kind in sorted(timed.work.kinds) if not lender.model.prices(kind, scope)]
    if timed.work.scope == scope and not strange and timed.value_ns > 0.0:
        return
    raise bad_input("costs", timed.work, why=f"nothing is known to carry of {strange or scope}",
                    allowed=lender.known(), do="calibrate again")  # fmt: skip


def _within(model: Mixes, work: Work) -> float:
    """Say how far a packet's time is off as factors differ within classes: a relative deviation.

    Where one kind costs the same every time there is nothing within its class.
    """
    if work.scope not in STRAIGHT:
        return 0.0
    added_ns = [ns for name, ns in model.parts_ns(work).items()
                if name not in (work.base, TOGETHER)]  # fmt: skip
    return WITHIN * float(np.hypot.reduce(added_ns, initial=0.0)) / model.time_ns(work)[0]


def _load_reach(timed: Sequence[TimedWork]) -> float:
    """Log half-width of the 90 % interval of one more load, from how far loads range; 0 of none.

    References
    ----------
    Moments of the range of normal samples: Montgomery, Introduction to Statistical Quality Control
    (8th ed., 2019), app. VI.
    """
    if not timed:
        return 0.0
    halves = np.array([each.error for each in timed])
    return float(NORMAL_90 * np.sqrt(np.mean(halves**2)) / HALF_RANGE)


def _class(term: Term) -> str:
    """Name the class whose factor a constant has."""
    if term.sort in ("base", "setting"):
        return WAY
    if term.sort == "bend":
        return term.name.split(" ", 1)[1]
    return class_of(term.name.split(" + ")[0])


def _open(solution: Solution, scope: str) -> Array:
    """Covariance of the constants for want of their factors, ns2, shape (terms, terms)."""
    names = [_class(term) if term.scope == scope else "" for term in solution.place]
    values = np.where(np.array(names, dtype=object) != "", solution.values, 0.0)
    alike = np.array([[one == other for other in names] for one in names], dtype=np.float64)
    return np.asarray(np.outer(values, values) * (COMMON**2 + OWN**2 * alike.reshape(
        len(names), len(names))))  # fmt: skip


def _known(solution: Solution, scope: str) -> dict[str, int]:
    """Where the cost of an operation of each class stands, as far as it is known to be one."""
    return {
        _class(term): code for term, code in solution.place.items()
        if term.scope == scope and term.sort in ("base", "each")
        and solution.values[code] > KNOWN_ERRORS * solution.error_ns(term)
    }  # fmt: skip


def _row(model: Mixes, work: Work) -> Array:
    """How often a packet takes each constant, shape (terms,)."""
    place = model.solution.place
    row = np.zeros(len(place))
    for term, weight in model.terms(work).items():
        if term in place:
            row[place[term]] = weight
    return row


def _updated(prior: Solution, rows: Array, took_ns: Array, error_ns: Array) -> Solution:
    """Condition constants on times, those that are far off with less weight.

    References
    ----------
    Linear normal update: Gelman et al., Bayesian Data Analysis (3rd ed., 2013), sec. 14.8;
    weights: Huber, Robust Statistics (1981), ch. 7.
    """
    values, covariance = prior.values, prior.covariance
    weights = np.ones(len(took_ns))
    for _ in range(ROUNDS):
        spread = rows @ prior.covariance @ rows.T + np.diag(error_ns**2 / weights)
        gain = np.linalg.solve(spread, rows @ prior.covariance).T
        values = prior.values + gain @ (took_ns - rows @ prior.values)
        covariance = prior.covariance - gain @ rows @ prior.covariance
        left = np.abs(rows @ values - took_ns) / error_ns
        weights = np.minimum(1.0, HUBER / np.maximum(left, 1e-12))
    return replace(prior, values=values, covariance=0.5 * (covariance + covariance.T))


def _kept(solution: Solution, lender: MixPredictor) -> Solution:
    """Let no operation take less than no time."""
    bounds = bounds_of(lender.works, lender.model.knots)
    size, vectors = np.linalg.eigh(solution.covariance)
    root = vectors * np.sqrt(np.maximum(size, 0.0))
    matrix = bounds_matrix(bounds, solution.place)
    return replace(solution, values=bounded(solution.values, root, matrix))
