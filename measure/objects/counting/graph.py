"""The graph of a function's instructions: its loops, its shortest and its longest path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from linerate.measure.objects.code.instructions import CALL, EXIT, LOAD_WIDE, Instruction

JUMP, JUMP_FAR, JUMP_MAYBE = 0x05, 0x06, 0xE5
"""Jumps without a condition, the second with its distance in the number; the last may end."""
_JUMPS = (0x05, 0x06)
"""Classes of instructions that jump."""
Graph = tuple[tuple[int, ...], ...]
NESTED_MAX = 16
"""Loops in loops that are told apart; those further inside are part of the last."""


def follower(one: Instruction, place: int) -> int:
    """Place of the instruction that lies behind another."""
    return place + (2 if one.code == LOAD_WIDE else 1)


def target(one: Instruction, place: int) -> int:
    """Place that a jump leads to."""
    return place + 1 + (one.number if one.code == JUMP_FAR else one.offset)


def graph_of(code: Sequence[Instruction]) -> Graph:
    """Places that can come after each place; what lies outside the function is left out."""
    return tuple(
        tuple(to for to in _next(one, place) if 0 <= to < len(code))
        for place, one in enumerate(code)
    )


def _next(one: Instruction, place: int) -> Iterator[int]:
    if one.code not in (JUMP, JUMP_FAR, EXIT):
        yield follower(one, place)
    if one.code & 7 in _JUMPS and one.code not in (CALL, EXIT):
        yield target(one, place)


def loop_places(code: Sequence[Instruction]) -> tuple[frozenset[int], ...]:
    """Places of each loop: instructions that can each come after the other again."""
    graph = graph_of(code)
    return tuple(
        frozenset(part) for part in components(graph)
        if len(part) > 1 or part[0] in graph[part[0]]
    )  # fmt: skip


class LoopShape(NamedTuple):
    """How a loop lies among others."""

    outer: int
    """Where the loop around it begins; -1 where there is none."""
    back: int
    """Place of the last jump back to where it begins."""


def loops_of(code: Sequence[Instruction]) -> tuple[tuple[int, ...], dict[int, LoopShape]]:
    """Find the innermost loop around each place.

    A loop begins where it is entered; without that place, what still goes round is a loop in it.

    Returns
    -------
    For each place, where the innermost loop around it begins, -1 where there is none; and the
    loops, by where they begin.

    References
    ----------
    Havlak, Nesting of reducible and irreducible loops, ACM TOPLAS 19 (1997).
    """
    graph = graph_of(code)
    before: list[list[int]] = [[] for _ in graph]
    for place, following in enumerate(graph):
        for to in following:
            before[to].append(place)
    innermost, found = [-1] * len(graph), dict[int, LoopShape]()
    level = [set(range(len(graph)))]
    for _ in range(NESTED_MAX):
        inside = []
        for part in (part for region in level for part in _repeated(graph, region)):
            entered = [
                place for place in part
                if place == 0 or any(one not in part for one in before[place])
            ]  # fmt: skip
            header = min(entered or part)
            back = max(one for one in before[header] if one in part)
            found[header] = LoopShape(outer=innermost[header], back=back)
            for place in part:
                innermost[place] = header
            inside.append(part - {header})
        level = inside
    return tuple(innermost), found


def _repeated(graph: Graph, region: set[int]) -> list[set[int]]:
    """Group those places of a region that can come again without leaving it."""
    places = sorted(region)
    number = {place: at for at, place in enumerate(places, 1)}
    within: Graph = (tuple(number.values()), *(
        tuple(number[to] for to in graph[place] if to in number) for place in places
    ))  # fmt: skip
    return [
        {places[at - 1] for at in part} for part in components(within)
        if len(part) > 1 or part[0] in within[part[0]]
    ]  # fmt: skip


def components(graph: Graph) -> list[list[int]]:
    """Group what is reached from the first place into strongly connected parts, the last first.

    References
    ----------
    Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972).
    """
    if not graph:
        return []
    number: dict[int, int] = {0: 0}
    low, stack, parts = {0: 0}, [0], []
    on_stack = {0}
    work = [(0, iter(graph[0]))]
    while work:
        place, following = work[-1]
        for to in following:
            if to not in number:
                number[to] = low[to] = len(number)
                stack.append(to)
                on_stack.add(to)
                work.append((to, iter(graph[to])))
                break
            if to in on_stack:
                low[place] = min(low[place], number[to])
        else:
            work.pop()
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[place])
            if low[place] == number[place]:
                at = stack.index(place)
                parts.append(stack[at:])
                on_stack.difference_update(stack[at:])
                del stack[at:]
    return parts


def extremes(code: Sequence[Instruction], weights: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Weigh the lightest and the heaviest path from the first instruction to an exit.

    Parameters
    ----------
    code
        A function.
    weights
        Least and most that each instruction counts for: more than 1 where it calls a function.

    Returns
    -------
    Of the lightest path, and of the heaviest on which each loop makes one turn with all its
    instructions; zeros where no exit is reached.
    """
    graph = graph_of(code)
    part_of: dict[int, int] = {}
    parts = components(graph)
    for name, part in enumerate(parts):
        part_of.update(dict.fromkeys(part, name))
    most: list[int] = []
    for name, part in enumerate(parts):
        beyond = [most[part_of[to]] for place in part for to in graph[place] if part_of[to] != name]
        ends = any(code[place].code == EXIT for place in part)
        ways = [*(far for far in beyond if far), *([0] if ends else [])]
        reached: int = max(ways, default=-1)
        most.append(reached + sum(weights[place][1] for place in part) if reached >= 0 else 0)
    return _lightest(code, graph, weights), most[-1] if most else 0


def _lightest(code: Sequence[Instruction], graph: Graph, weights: Sequence[tuple[int, int]]) -> int:
    best = {0: weights[0][0]} if code else {}
    waiting = [(light, place) for place, light in best.items()]
    while waiting:
        light, place = heappop(waiting)
        if code[place].code == EXIT:
            return light
        for to in graph[place]:
            further = light + weights[to][0]
            if further < best.get(to, further + 1):
                best[to] = further
                heappush(waiting, (further, to))
    return 0
