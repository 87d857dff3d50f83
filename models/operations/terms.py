"""The terms that a packet's time is the sum of, as far as it is a sum.

A kind of operation costs what its class does, and what it differs by. A class costs something once,
by each operation, and by bends at the numbers that were measured; a kind differs by each operation:
a filter's by whether the network stack runs it, by whether it is a program or rules, and by where;
a search in a table by how it matches, by its keys, and by finding nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from linerate.models.operations.own import is_whole, ladders
from linerate.models.operations.work import Operations, Work, class_of, differing

Sort = Literal["base", "setting", "fixed", "each", "bend", "differs", "miss", "shared",
               "interaction"]  # fmt: skip
"""base path; what a setting adds to it; what a class costs once; each of its operations; how far
a number of them is off that line; what an operation of a kind differs by from its class; what
an operation costs more over a large working set; what it costs more for each other core that writes
to its entries; what kinds cost together beside their sum."""
Knots = Mapping[tuple[str, str], tuple[int, ...]]
"""Numbers of operations that a class, by scope and name, was measured alone at, ascending."""
Named = dict["Term", float]
"""Terms with how often each counts."""


class Term(NamedTuple):
    """Name of one constant."""

    sort: Sort
    scope: str
    name: str

    def __str__(self) -> str:
        return f"{self.scope}: {self.sort} {self.name}"


def base_terms(work: Work) -> Named:
    """Name the base path, and the settings that are not usual."""
    named = {Term("base", work.scope, work.base): 1.0}
    settings = (Term("setting", work.scope, f"{name}={level}") for name, level in work.settings)
    return named | dict.fromkeys(settings, 1.0)


def step_terms(scope: str, name: str, kinds: Operations, knots: Knots) -> Named:
    """Name what operations of one class cost alone, from what a cache holds.

    Between two knots a bend is on a straight line; beyond the last its line goes on.

    Parameters
    ----------
    scope, name
        The class.
    kinds
        Its kinds with their numbers, which count together: they cost once what the class does.
    knots
        As ``knots_of`` gives them.
    """
    times = sum(number for _, number in kinds)
    named = {Term("fixed", scope, name): 1.0, Term("each", scope, name): float(times)}
    for knot, weight in _hats(times, knots.get((scope, name), ())):
        named[Term("bend", scope, f"{knot} {name}")] = weight
    for kind, number in kinds:
        for each in differing(kind):
            term = Term("differs", scope, each)
            named[term] = named.get(term, 0.0) + number
    return named


def _hats(times: int, known: tuple[int, ...]) -> Iterator[tuple[int, float]]:
    """Knots with their weights at a number; 0 is a knot without a bend.

    >>> list(_hats(15, (10, 20))), list(_hats(5, (10, 20))), list(_hats(30, (10, 20)))
    ([(10, 0.5), (20, 0.5)], [(10, 0.5)], [(10, -1.0), (20, 2.0)])
    """
    if known:
        at = (0, *known)
        upper = next((place for place, knot in enumerate(at) if knot >= times), len(at) - 1)
        share = (times - at[upper - 1]) / (at[upper] - at[upper - 1])
        for knot, weight in ((at[upper - 1], 1.0 - share), (at[upper], share)):
            if knot and weight:
                yield knot, weight


def knots_of(works: Iterable[Work]) -> dict[tuple[str, str], tuple[int, ...]]:
    """Numbers at which some kind of each class was measured alone, from what a cache holds."""
    cached = [work for work in works if not work.set_bytes]
    own = [work for work in cached if is_whole(work)]
    alone = [(work, class_of(work.steps[0][0])) for work in cached if len(work.steps) == 1]
    found: dict[tuple[str, str], set[int]] = {}
    for work, name in [*alone, *ladders(own)]:
        numbers = found.setdefault((work.scope, name), set())
        numbers.add(sum(times for _, times in work.by_class()[name]))
    return {name: tuple(sorted(numbers)) for name, numbers in found.items()}


def most_of(works: Iterable[Work]) -> dict[tuple[str, str], int]:
    """Most operations of each class, by scope and name, that any packet has."""
    found: dict[tuple[str, str], int] = {}
    for work in works:
        for name, kinds in work.by_class().items():
            times = sum(number for _, number in kinds)
            found[work.scope, name] = max(times, found.get((work.scope, name), 0))
    return found


def alone_terms(work: Work, knots: Knots, missed: float = 0.0) -> Named:
    """Name every term of a packet, its steps as if each kind were alone.

    Parameters
    ----------
    work
        The packet's.
    knots
        As ``knots_of`` gives them.
    missed
        Share of the lookups' misses at the largest working set measured that they have at this.
    """
    named = base_terms(work)
    for name, kinds in work.by_class().items():
        named |= step_terms(work.scope, name, kinds, knots)
    if missed:
        named |= {Term("miss", work.scope, kind): missed * times for kind, times in work.steps}
    return named


def interaction_terms(work: Work, known: Iterable[frozenset[str]]) -> Named:
    """Name the interactions that are known of kinds among the packet's steps.

    Each counts as often as the kind that the packet has fewest of.
    """
    times = dict(work.steps)
    return {
        Term("interaction", work.scope, " + ".join(sorted(kinds))):
            float(min(times[kind] for kind in kinds))
        for kinds in known if kinds <= work.kinds
    }  # fmt: skip
