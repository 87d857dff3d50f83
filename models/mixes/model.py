"""Packets' times as sums over what they execute, less what a core does at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from linerate.models.cells import Array
from linerate.models.mixes.fit import Solution, solve
from linerate.models.mixes.misses import Shape, missed_share, sets_of, shapes_of
from linerate.models.mixes.overlap import hidden_ns
from linerate.models.mixes.terms import Named, Sort, Term, alone_terms, knots_of, together_terms
from linerate.models.mixes.work import Work, class_of

OVERLAP, OVERLAP_ERROR = 1.0, 0.3
"""Share of what could be hidden that is, and how far that may be wrong before a mix is seen."""
MIX_ERROR = 0.1
"""Relative error of a mix by the overlap alone."""
HIDDEN_MIN = 0.02
"""A mix of which less could be hidden says nothing of the overlap."""
ESSENTIAL = ("base", "each", "miss")
"""Sorts of constant without which nothing is answered."""
UNKNOWN_RATIO = 0.3
"""Standard deviation over time from which the constants leave a packet's time open."""
Together = tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixes:
    """Fitted costs of base paths, settings and steps, and of steps together."""

    solution: Solution
    knots: Mapping[tuple[str, str], tuple[int, ...]]
    """Numbers of operations that each class was measured at."""
    shapes: Mapping[str, Shape]
    """Of each scope, how misses grow with the working set."""
    sets: Mapping[tuple[str, str], int]
    """Largest working set that each kind was measured at, bytes."""
    together: Together = ()
    """Kinds of the mixes seen, with their scope."""
    overlap: float = OVERLAP
    """Share of what steps of a mix could hide that is hidden, 0 to 1."""

    @classmethod
    def fit(cls, works: Sequence[Work], times_ns: Array) -> Self:
        """Fit kinds alone, then how much of mixes overlaps, then all constants together.

        Parameters
        ----------
        works
            Distinct works.
        times_ns
            Time of a packet of each, shape (works,).
        """
        mixed = np.array([len(work.steps) > 1 for work in works])
        shapes, knots = shapes_of(works, times_ns), knots_of(works)
        empty = cls(
            solution=solve([], np.array([])), knots=knots, shapes=shapes, sets=sets_of(works)
        )
        rows = [empty.terms(work) for work in works]
        alone = solve([row for row, mix in zip(rows, mixed, strict=True) if not mix],
                      times_ns[~mixed])  # fmt: skip
        first = replace(empty, solution=alone)
        hidden = np.array([first.hidden_ns(work) for work in works])
        gains = np.array([alone.sum_ns(row)[0] for row in rows]) - times_ns
        overlap = _overlap(gains / times_ns, hidden / times_ns)
        known = replace(first, overlap=overlap, together=tuple(dict.fromkeys(
            (work.scope, work.kinds) for work in works if len(work.steps) > 1
        )))  # fmt: skip
        solution = solve([known.terms(work) for work in works], times_ns, overlap * hidden)
        return replace(known, solution=solution)

    def terms(self, work: Work) -> Named:
        """Name what a packet's time is the sum of, before anything is hidden."""
        missed = missed_share(work.set_bytes, self.shapes.get(work.scope, ()))
        known = [kinds for scope, kinds in self.together if scope == work.scope]
        return alone_terms(work, self.knots, missed) | together_terms(work, known)

    def hidden_ns(self, work: Work) -> float:
        """Time that steps of a packet could hide of each other."""
        return hidden_ns(work, lambda kind, times: self._added_ns(work.scope, kind, times))

    def time_ns(self, work: Work) -> tuple[float, float]:
        """Time of a packet, and the standard deviation that the constants leave it."""
        total_ns, error_ns = self.solution.sum_ns(self.terms(work))
        return total_ns - self.overlap * self.hidden_ns(work), error_ns

    def mixed_before(self, work: Work) -> bool:
        """Whether some mix of the same kinds was seen."""
        return (work.scope, work.kinds) in self.together

    def unknown(self, work: Work) -> str:
        """Say why a packet's time cannot be told; nothing where it can."""
        strange = [term for term in self.terms(work)
                   if term.sort in ESSENTIAL and term not in self.solution.place]  # fmt: skip
        if strange:
            return "no other run tells of " + ", ".join(map(str, strange))
        time_ns, error_ns = self.time_ns(work)
        if error_ns < UNKNOWN_RATIO * time_ns:
            return ""
        loose = max(self.terms(work), key=self.solution.error_ns)
        return f"the other runs cannot tell apart {loose} and what comes with it"

    def outside(self, work: Work) -> float:
        """Doublings by which a packet's numbers and working set lie beyond what was measured."""
        doublings = 0.0
        for kind, times in work.steps:
            known = self.knots.get((work.scope, class_of(kind)), ())
            doublings += max(float(np.log2(times / known[-1])), 0.0) if known else 1.0
            seen = self.sets.get((work.scope, kind), 0)
            if work.set_bytes > seen:
                doublings += float(np.log2(work.set_bytes / seen)) if seen else 1.0
        strange = [term for term in self.terms(work)
                   if term.sort == "setting" and term not in self.solution.place]  # fmt: skip
        return doublings + len(strange)

    def _added_ns(self, scope: str, kind: str, times: Array) -> Array:
        """Time that numbers of operations add alone, on lines between the knots."""
        name = class_of(kind)
        knots = self.knots.get((scope, name), ())
        at = np.array([0, *knots], dtype=np.float64)
        bends = np.array([0.0, *(self._value("bend", scope, f"{knot} {name}") for knot in knots)])
        each = self._value("each", scope, name) + self._value("differs", scope, kind)
        once = np.where(times > 0.0, self._value("once", scope, name), 0.0)
        beyond = 0.0
        if knots:
            beyond = np.maximum(times - at[-1], 0.0) * (bends[-1] - bends[-2]) / (at[-1] - at[-2])
        return np.asarray(once + each * times + np.interp(times, at, bends) + beyond)

    def _value(self, sort: Sort, scope: str, name: str) -> float:
        return self.solution.sum_ns({Term(sort, scope, name): 1.0})[0]


def _overlap(gains: Array, hidden: Array) -> float:
    """Share of what could be hidden that is, by mixes, relative to their times."""
    seen = hidden > HIDDEN_MIN
    weight, prior = hidden[seen] / MIX_ERROR**2, 1.0 / OVERLAP_ERROR**2
    share = (weight @ gains[seen] + OVERLAP * prior) / (weight @ hidden[seen] + prior)
    return float(np.clip(share, 0.0, 1.0))
