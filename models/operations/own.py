"""Pipelines of one's own: what their paths execute, upon receiving and sending alone."""

from __future__ import annotations

from collections.abc import Callable

from linerate.models.operations.work import Operations, Work

OWN_SCOPE = "swx"
BARE = "bare"
"""Base path of every pipeline of one's own: it receives, and sends what came."""
RECEIVE = "receive"
"""Kind that only paths of one's own count: that of a generated pipeline is in its base."""
FREE = (RECEIVE, "transmit", "drop", "return")
"""Kinds that are in the base path, or in the lookup that runs the action."""


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
