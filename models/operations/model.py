"""Packets' times as sums over what they execute, less what a core does at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from linerate.models.operations.bounds import bounds_of
from linerate.models.operations.fit import OF_STEP, Solution, solve
from linerate.models.operations.misses import Shape, missed_share, sets_of, shapes_of
from linerate.models.operations.overlap import ARITHMETIC, LINK, hidden_ns, links
from linerate.models.operations.own import BARE
from linerate.models.operations.shared import shared_terms
from linerate.models.operations.terms import (
    Named,
    Sort,
    Term,
    alone_terms,
    interaction_terms,
    knots_of,
    most_of,
)
from linerate.models.operations.work import CLASSES, Work, class_of, differing
from linerate.models.runs.cells import Array
from linerate.models.runs.parameters import Parameter
from linerate.normal import NORMAL_90

OVERLAP, OVERLAP_ERROR = 1.0, 0.3
"""Share of what could be hidden that is, and how far that may be wrong before a mix is seen."""
MIX_ERROR = 0.1
"""Relative error of a mix by the overlap alone."""
HIDDEN_MIN = 0.02
"""A mix of which less could be hidden says nothing of the overlap."""
ESSENTIAL = ("base", "each", "miss", "shared")
"""Sorts of constant without which nothing is answered."""
STEPS = ("fixed", "each", "bend", "differs", "miss", "shared")
"""Sorts of constant that a step has alone."""
PRINTED = ("base", "setting", "miss", "shared", "interaction")
"""Sorts of constant that are printed by themselves."""
UNKNOWN_RATIO = 0.3
"""Standard deviation over time from which the constants leave a packet's time open."""
TOGETHER = "together"
"""Name of what a packet's time has beside its base path and its classes."""
Mixed = tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixes:
    """Fitted costs of base paths, settings and steps, and interactions of steps."""

    solution: Solution
    knots: Mapping[tuple[str, str], tuple[int, ...]]
    """Numbers of operations that each class was measured at."""
    shapes: Mapping[str, Shape]
    """Of each scope, how misses grow with the working set."""
    sets: Mapping[tuple[str, str], int]
    """Largest working set that each kind was measured at, bytes."""
    most: Mapping[tuple[str, str], int]
    """Most operations of each class that a packet was measured with, alone or in a mix."""
    mixed: Mixed = ()
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
        mixed = np.array([len(work.steps) > 1 for work in works], dtype=bool)
        shapes, knots = shapes_of(works, times_ns), knots_of(works)
        empty = cls(
            solution=solve([], np.array([])), knots=knots, shapes=shapes, sets=sets_of(works),
            most=most_of(works),
        )  # fmt: skip
        rows = [empty.terms(work) for work in works]
        bounds = bounds_of(works, knots)
        alone = solve([row for row, mix in zip(rows, mixed, strict=True) if not mix],
                      times_ns[~mixed], bounds=bounds)  # fmt: skip
        first = replace(empty, solution=alone)
        hidden = np.array([first.hidden_ns(work) for work in works])
        linked = np.array([first.linked_ns(work) for work in works])
        gains = np.array([alone.sum_ns(row)[0] for row in rows]) + linked - times_ns
        overlap = _overlap(gains / times_ns, hidden / times_ns)
        known = replace(first, overlap=overlap, mixed=tuple(dict.fromkeys(
            (work.scope, work.kinds) for work in works if len(work.steps) > 1
        )))  # fmt: skip
        solution = solve([known.terms(work) for work in works], times_ns,
                         overlap * hidden - linked, bounds)  # fmt: skip
        return replace(known, solution=solution)

    def terms(self, work: Work) -> Named:
        """Name what a packet's time is the sum of, before anything is hidden.

        Interactions are those of generated programs, whose kinds take turns: pipelines of one's
        own have another order.
        """
        missed = missed_share(work.set_bytes, self.shapes.get(work.scope, ()))
        in_turn = work.base != BARE
        known = [kinds for scope, kinds in self.mixed if scope == work.scope and in_turn]
        alone = alone_terms(work, self.knots, missed) | shared_terms(work)
        return alone | interaction_terms(work, known)

    def hidden_ns(self, work: Work) -> float:
        """Time that steps of a packet could hide of each other; of pipelines of one's own none.

        Theirs do not take turns, and what they wait for is counted.
        """
        if work.base == BARE:
            return 0.0
        return hidden_ns(work, lambda name, kinds: self._added_ns(work.scope, name, kinds),
                         linked=self._link_ns(work.scope) > 0.0)  # fmt: skip

    def linked_ns(self, work: Work) -> float:
        """Time that reads of registers take longer where they were just written."""
        return 0.0 if work.base == BARE else links(work) * self._link_ns(work.scope)

    def added_ns(self, work: Work) -> tuple[float, float]:
        """Time that steps add to a packet, each kind as if alone, and its standard deviation."""
        return self.solution.sum_ns({
            term: weight for term, weight in self.terms(work).items() if term.sort in STEPS
        })  # fmt: skip

    def time_ns(self, work: Work) -> tuple[float, float]:
        """Time of a packet, and the standard deviation that the constants leave it."""
        terms = self.terms(work)
        total_ns, error_ns = self.solution.sum_ns(terms)
        # Each of the others takes something between nothing and what the most expensive arithmetic
        # does.
        half_ns = 0.5 * work.unpriced * self._most_ns(work.scope)
        total_ns += half_ns + self.together_ns(work)
        return total_ns, float(np.hypot(error_ns, np.hypot(half_ns, self._untold_ns(terms))))

    def together_ns(self, work: Work) -> float:
        """Sum what steps of a mix wait for each other, less what they hide of each other."""
        return self.linked_ns(work) - self.overlap * self.hidden_ns(work)

    def shared_ns(self, work: Work) -> float:
        """Time that each other core adds to a packet, ns, by what is known of its operations."""
        two = replace(work, settings=(("queues", "2"),))
        return self.solution.sum_ns(shared_terms(two))[0]

    def knows_cores(self, scope: str) -> bool:
        """Whether it was measured what other cores add."""
        return any((term.sort, term.scope) == ("shared", scope) for term in self.solution.place)

    def prices(self, kind: str, scope: str) -> bool:
        """Whether a cost is known of an operation, or of those of its class."""
        return Term("each", scope, class_of(kind)) in self.solution.place

    def parts_ns(self, work: Work) -> dict[str, float]:
        """Part a packet's time, ns, by what takes it: the base path, each class, and the rest.

        The rest is ``together``: what lookups miss in caches, what other cores that write to the
        same entries add, half of what instructions without a price could take, interactions and
        waits, less what is hidden.
        """
        base = {term: 1.0 for term in self.terms(work) if term.sort in ("base", "setting")}
        parts = {work.base: self.solution.sum_ns(base)[0]}
        for name, kinds in work.by_class().items():
            numbers = {kind: np.array(float(times)) for kind, times in kinds}
            parts[", ".join(f"{times} {kind}" for kind, times in kinds)] = float(
                self._added_ns(work.scope, name, numbers)
            )
        together = self.time_ns(work)[0] - sum(parts.values())
        return parts | ({TOGETHER: together} if work.steps else {})

    def mixed_before(self, work: Work) -> bool:
        """Whether some mix of the same kinds was seen."""
        return (work.scope, work.kinds) in self.mixed

    def unknown(self, work: Work) -> str:
        """Say why a packet's time cannot be predicted; nothing where it can."""
        strange = [term for term in self.terms(work)
                   if term.sort in ESSENTIAL and term not in self.solution.place]  # fmt: skip
        if strange:
            return "no other run has " + ", ".join(map(str, strange))
        time_ns, error_ns = self.time_ns(work)
        if error_ns < UNKNOWN_RATIO * time_ns:
            return ""
        loose = max(self.terms(work), key=self.solution.error_ns)
        if loose not in self.solution.place:
            return f"no other run has {loose}"
        return f"the other runs cannot separate {loose} from what comes with it"

    def outside(self, work: Work) -> float:
        """Doublings by which a packet's numbers and working set lie beyond what was measured.

        Of the numbers, and of the working sets, the farthest counts: a thousand rules with a
        comparison each lie beyond once, not twice.
        """
        numbers = [
            _doublings(sum(number for _, number in kinds), self.most.get((work.scope, name), 0))
            for name, kinds in work.by_class().items()
        ]
        sets = [_doublings(work.set_bytes, self.sets.get((work.scope, kind), 0))
                for kind in work.kinds]  # fmt: skip
        strange = [term for term in self.terms(work)
                   if term.sort == "setting" and term not in self.solution.place]  # fmt: skip
        farthest = max(numbers, default=0.0) + max(sets, default=0.0)
        return farthest + len(strange) + (1.0 if work.unpriced else 0.0)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Constants with their 90 % intervals, ns."""
        solution = self.solution
        reach = NORMAL_90 * np.sqrt(np.diag(solution.covariance))
        return tuple(
            Parameter(name=f"{term} ns", value=value, lower=value - error, upper=value + error)
            for term, value, error in zip(
                solution.place, solution.values.tolist(), reach.tolist(), strict=True
            )
        )

    def __str__(self) -> str:
        lines = ["time of a packet = base + settings + steps + misses + shared + interaction + "
                 f"waits - {self.overlap:.2f} x what steps that take turns could hide"]  # fmt: skip
        lines += [
            f"{term}: {value:.4g} ns"
            for term, value in zip(self.solution.place, self.solution.values, strict=True)
            if term.sort in PRINTED
        ]
        return "\n".join([*lines, *(self._step_text(*kind) for kind in sorted(self.sets))])

    def _step_text(self, scope: str, kind: str) -> str:
        """Say what numbers of a kind add."""
        numbers = self.knots.get((scope, class_of(kind)), ()) or (1,)  # one tells a straight line
        added = self._added_ns(scope, class_of(kind), {kind: np.array(numbers, dtype=np.float64)})
        costs = ", ".join(f"{n}: {round(ns, 6) + 0.0:.4g} ns"
                          for n, ns in zip(numbers, added, strict=True))  # fmt: skip
        return f"{scope}: steps {kind}: {costs}"

    def _added_ns(self, scope: str, name: str, kinds: Mapping[str, Array]) -> Array:
        """Time that numbers of operations of a class add alone, on lines between the knots."""
        times = np.sum(list(kinds.values()), axis=0)
        knots = self.knots.get((scope, name), ())
        at = np.array([0, *knots], dtype=np.float64)
        bends = np.array([0.0, *(self._value("bend", scope, f"{knot} {name}") for knot in knots)])
        added = self._value("fixed", scope, name) + self._value("each", scope, name) * times
        added += np.interp(times, at, bends)
        if knots:
            beyond = np.maximum(times - at[-1], 0.0)
            added += beyond * (bends[-1] - bends[-2]) / (at[-1] - at[-2])
        for kind, own in kinds.items():
            added += sum(self._value("differs", scope, each) for each in differing(kind)) * own
        return np.asarray(added)

    def _link_ns(self, scope: str) -> float:
        """Time of a link of a chain through memory; 0 where none was measured."""
        return max(self._value("each", scope, LINK), 0.0)

    def _untold_ns(self, terms: Named) -> float:
        """Say how far kinds that no run has may be off their class: a standard deviation."""
        each = [
            OF_STEP["differs"] * times * self._value("each", term.scope, class_of(term.name))
            for term, times in terms.items()
            if term.sort == "differs" and term not in self.solution.place
        ]
        return float(np.hypot.reduce(each, initial=0.0))

    def _most_ns(self, scope: str) -> float:
        """Time of the arithmetic that costs most, each."""
        return max(0.0, *(self._value("each", scope, name) for name in set(CLASSES.values())
                          if name.endswith(ARITHMETIC)))  # fmt: skip

    def _value(self, sort: Sort, scope: str, name: str) -> float:
        place = self.solution.place.get(Term(sort, scope, name))
        return 0.0 if place is None else float(self.solution.values[place])


def _doublings(asked: int, most: int) -> float:
    """Doublings from the most that was seen to what is asked; one where nothing was."""
    if asked <= most:
        return 0.0
    return float(np.log2(asked / most)) if most else 1.0


def _overlap(gains: Array, hidden: Array) -> float:
    """Share of what could be hidden that is, by mixes, relative to their times."""
    seen = hidden > HIDDEN_MIN
    weight, prior = hidden[seen] / MIX_ERROR**2, 1.0 / OVERLAP_ERROR**2
    share = (weight @ gains[seen] + OVERLAP * prior) / (weight @ hidden[seen] + prior)
    return float(np.clip(share, 0.0, 1.0))
