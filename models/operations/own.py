"""Pipelines of one's own: what their paths execute, upon receiving and sending alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from linerate.models.operations.work import Operations, Work

OWN_SCOPE = "swx"
BARE = "bare"
"""Base path of every pipeline of one's own: it receives, and sends what came."""
RECEIVE = "receive"
"""Kind that only paths of one's own count: that of a generated pipeline is in its base."""
FREE = (RECEIVE, "transmit", "drop", "return")
"""Kinds that are in the base path, or in the lookup that runs the action."""

COMPANIONS = ("move", "stalled")
"""Kinds that come with what a pipeline is asked to do: arguments of lookups, waits for them."""


def is_own(operations: Operations) -> bool:
    """Whether operations are all that a path executes, and not those on top of a base path."""
    return any(kind == RECEIVE for kind, _ in operations)


def is_whole(work: Work) -> bool:
    """Whether a work is a pipeline with all that it executes, upon receiving and sending alone."""
    return (work.scope, work.base) == (OWN_SCOPE, BARE)


def own_steps(operations: Operations) -> Operations:
    """Leave out what is in the base path.

    >>> own_steps((("extract", 2), ("receive", 1), ("transmit", 1)))
    (('extract', 2),)
    """
    return tuple(pair for pair in operations if pair[0] not in FREE)


def priced_steps(
    operations: Operations, prices: Callable[[str], bool]
) -> tuple[Operations, Operations]:
    """Part the steps of a path into those whose kind has a cost and the others."""
    steps = own_steps(operations)
    known = tuple(pair for pair in steps if prices(pair[0]))
    return known, tuple(pair for pair in steps if pair not in known)


def ladders(works: Sequence[Work]) -> Iterator[tuple[Work, str]]:
    """Take the pipelines that have one class more than most do, each with that class.

    Parameters
    ----------
    works
        Pipelines with all that they execute.

    Examples
    --------
    >>> plain = (("emit", 3), ("extract", 3))
    >>> more = (), (("move", 4),), (("jump", 2),), (("add", 2), ("jump", 2)), (("add", 9),)
    >>> works = [Work(scope="swx", base=BARE, steps=(*plain, *steps)) for steps in more]
    >>> [name for _, name in ladders(works)]
    ['move', 'jump', 'chained_arithmetic']
    """
    numbers = [{name: sum(times for _, times in kinds) for name, kinds in work.by_class().items()}
               for work in works]  # fmt: skip
    usual = {name: sorted(each.get(name, 0) for each in numbers)[(len(works) - 1) // 2]
             for name in {name for each in numbers for name in each}}  # fmt: skip
    for work, each in zip(works, numbers, strict=True):
        more = [name for name, times in each.items()
                if times > (0 if name in COMPANIONS else usual[name])]  # fmt: skip
        asked = [name for name in more if name not in COMPANIONS]
        if len(asked) == 1:
            yield work, asked[0]
        elif not asked and more:
            yield work, more[-1]  # waits come with moves
