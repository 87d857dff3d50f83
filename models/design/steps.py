"""What is unknown of the times of packets that differ by what they execute, and what to measure.

The log time of a packet is the sum of its constants, each over the time; a constant that no run has
is guessed, and as uncertain as it is large. A bend at each number that is asked about and an
interaction of each mix are constants too, within the priors of the fit: so a number is worth
measuring as far as it may lie off the line, and a mix as far as its kinds may not add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from linerate.models.design.choice import Design, choose
from linerate.models.design.step_cells import StepCells
from linerate.models.design.unknown import CONSTANT, Unknown, open_share
from linerate.models.operations.fit import OF_PACKET, Solution, priors, typical_ns
from linerate.models.operations.model import Mixes
from linerate.models.operations.runs import MixRuns
from linerate.models.operations.terms import Named, Sort, Term, knots_of
from linerate.models.operations.work import Work
from linerate.models.runs.cells import Array, Codes
from linerate.models.side_by_side import side_by_side

PACKET_NS = MappingProxyType({"chain": 2000.0})
"""Guess of a packet of which nothing was measured, of scopes where it is not ``USUAL_NS``."""
USUAL_NS = 100.0
STEP_RATIO = MappingProxyType({"chain": 0.5})
"""Guess of one operation of a kind that no run has, in typical packets of its scope: one hop of a
chain is half of a packet that makes one; elsewhere ``USUAL_RATIO``."""
USUAL_RATIO = 0.05
LEAST_RATIO = 0.25
"""Least time that a packet is taken to have, in typical ones: what is hidden is a rough guess."""


def choose_steps(
    candidates: StepCells, budget: int, measured: MixRuns | None = None, left: Codes | None = None
) -> Design:
    """Choose the works whose measurement leaves least unknown of all.

    Parameters
    ----------
    candidates
        Works that can be measured, and whose rates are asked for.
    budget
        Runs to choose, at least 1, each with a program load of its own.
    measured
        What is there already; None where the plan begins with nothing.
    left
        Runs that each candidate has left, shape (n,); None for no end of them.
    """
    fitted = _fitted(measured)
    scopes = dict.fromkeys(work.scope for work in candidates.works)
    parts = list(side_by_side(_part, [(scope, candidates, fitted, measured) for scope in scopes]))
    free = np.full(len(candidates.works), budget) if left is None else left
    return choose(parts, budget, free)


def _fitted(measured: MixRuns | None) -> Mixes:
    if measured is None:
        return Mixes.fit((), np.array([]))
    return Mixes.fit(*measured.medians())


def _part(
    scope: str, candidates: StepCells, fitted: Mixes, measured: MixRuns | None
) -> tuple[Codes, Unknown]:
    """Rows of a scope, and what is unknown of them."""
    rows = np.flatnonzero([work.scope == scope for work in candidates.works])
    asked = [candidates.works[row] for row in rows]
    seen, times_ns, runs = _seen(scope, measured)
    works = [*seen, *asked]
    form = _form(fitted, works)
    terms = [form.terms(work) for work in works]
    packet_ns = typical_ns(terms[: len(seen)], times_ns).get(scope)
    packet_ns = packet_ns or PACKET_NS.get(scope, USUAL_NS)
    guess = _Guess.of(terms, fitted.solution, scope, packet_ns)
    said_ns = np.array([replace(form, solution=guess.solution).time_ns(work)[0] for work in works])
    said_ns = np.maximum(said_ns, LEAST_RATIO * packet_ns)
    features = guess.features(terms) / said_ns[:, None]
    service_mpps = 1e3 * candidates.queues[rows] / said_ns[len(seen) :]
    features[len(seen) :] *= open_share(candidates.ceiling_mpps[rows], service_mpps)[:, None]
    known, own = np.split(features, [len(seen)])
    return rows, Unknown.after(own, known, runs)


def _seen(scope: str, measured: MixRuns | None) -> tuple[list[Work], Array, Array]:
    """Works of a scope that were measured, with the median time and the number of runs of each."""
    if measured is None:
        return [], np.array([]), np.array([])
    works, times_ns = measured.medians()
    own = [place for place, work in enumerate(works) if work.scope == scope]
    runs = [float(measured.times_ns(works[place]).size) for place in own]
    return [works[place] for place in own], times_ns[own], np.array(runs)


def _form(fitted: Mixes, works: Sequence[Work]) -> Mixes:
    """Give the model a constant for each number and each mix among works."""
    scope = works[0].scope
    mixed = dict.fromkeys((work.scope, work.kinds) for work in works if len(work.steps) > 1)
    sets = [work.set_bytes for work in works if work.set_bytes]
    shapes = dict(fitted.shapes)
    if sets and scope not in shapes:  # whatever it is, it is unknown of all sizes at once
        shapes[scope] = ((max(sets), 1.0),)
    return replace(fitted, knots=knots_of(works), mixed=tuple(mixed), shapes=shapes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Guess:
    """Constants, of which those that no run has are guessed, and how uncertain each is."""

    solution: Solution
    spread_ns: Array
    """Before any run, shape (terms,)."""

    @classmethod
    def of(cls, terms: Sequence[Named], fitted: Solution, scope: str, packet_ns: float) -> _Guess:
        named = dict.fromkeys(term for row in terms for term in row)
        place = {term: code for code, term in enumerate(named)}
        step_ratio = STEP_RATIO.get(scope, USUAL_RATIO)
        guessed: dict[Sort, float] = {"base": packet_ns, "each": step_ratio * packet_ns}
        values = np.array([_value(term, fitted, guessed) for term in place])
        before: dict[Sort, float] = {"base": CONSTANT, "each": step_ratio, "miss": CONSTANT}
        spread_of = priors(place, {scope: packet_ns}, OF_PACKET | before)
        nothing = np.zeros((len(place), len(place)))
        return cls(solution=Solution(place=place, values=values, covariance=nothing),
                   spread_ns=spread_of(values))  # fmt: skip

    def features(self, terms: Sequence[Named]) -> Array:
        """Spread that each constant leaves in each packet's time, ns, shape (rows, terms)."""
        found = np.zeros((len(terms), len(self.spread_ns)))
        for row, named in enumerate(terms):
            at = [self.solution.place[term] for term in named]
            found[row, at] = np.array(list(named.values())) * self.spread_ns[at]
        return found


def _value(term: Term, fitted: Solution, guessed: Mapping[Sort, float]) -> float:
    known = fitted.place.get(term)
    return guessed.get(term.sort, 0.0) if known is None else float(fitted.values[known])
