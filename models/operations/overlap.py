"""How much of a mix a core executes in the shadow of the rest.

A generated pipeline executes kinds in turn: a round has one operation of each kind that is not used
up. Within a round a core executes at once what does not need the other's result, so that only
the slowest family of kinds counts. Kinds of one family need each other: arithmetic is a chain on
one field. What calls out of the straight code (a lookup in a table, another pass) is waited for by
whatever follows, and hides nothing.

Writes of registers hide behind reads, which wait; but a read of what was just written is handed on
by the store buffer. That is a link of a chain through memory, as each operation of chained
arithmetic is one: it reads a field, changes it, and writes it back.

References
----------
Out-of-order execution within a window of instructions: Hennessy and Patterson, Computer
Architecture, 6th ed. (2017), sec. 3.4 to 3.6; the slowest of independent chains and ports as the
bound of straight code: Abel and Reineke, uiCA, ICS (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from linerate.models.operations.work import STRAIGHT, Work
from linerate.models.runs.cells import Array

WALLS = ("table", "recirculate", "learner", "selector", "meter")
"""First words of classes that nothing overlaps with."""
REGISTER = "register"
FAMILIES = {REGISTER: REGISTER, "hash": "hash"}
"""Family by the first word of a class; all others are arithmetic."""
ARITHMETIC = "arithmetic"
LINK = "chained_arithmetic"
"""Class whose each operation is a link of a chain through memory."""
AddedNs = Callable[[str, Mapping[str, Array]], Array]
"""Time that numbers of operations of a class, by its kinds, add alone, ns."""


def hidden_ns(work: Work, added_ns: AddedNs, *, linked: bool = False) -> float:
    """Time of a packet's steps that other steps of it hide, were the overlap whole.

    Parameters
    ----------
    work
        A packet's steps.
    added_ns
        What numbers of operations of a class add alone.
    linked
        Whether reads of registers wait for writes by links, which count apart, and are a family of
        their own; else reads and writes of registers are one.

    Examples
    --------
    Three rounds of a read (9 ns) and an addition (4 ns), then two additions more:

    >>> mix = Work(scope="swx", base="forward", steps=(("add", 5), ("register_read_32", 3)))
    >>> each_ns = {"register_read": 9.0, "chained_arithmetic": 4.0}
    >>> hidden_ns(mix, lambda name, kinds: each_ns[name] * sum(kinds.values()))
    12.0
    """
    free = {name: kinds for name, kinds in work.by_class().items()
            if name.split("_")[0] not in WALLS}  # fmt: skip
    if work.scope not in STRAIGHT or len(free) < 2:
        return 0.0
    rounds = np.arange(1.0 + max(times for kinds in free.values() for _, times in kinds))
    families: dict[str, Array] = {}
    for name, kinds in free.items():
        executed = {kind: np.minimum(rounds, times) for kind, times in kinds}
        # What the first of a chain hide behind the base path is not a time to be hidden again.
        added = np.where(rounds > 0.0, np.maximum(added_ns(name, executed), 0.0), 0.0)
        own = np.diff(np.maximum.accumulate(added))
        family = FAMILIES.get(name.split("_")[0], ARITHMETIC)
        family = name if linked and family == REGISTER else family
        families[family] = families[family] + own if family in families else own
    by_family = np.stack(list(families.values()))
    return float((by_family.sum(axis=0) - by_family.max(axis=0)).sum())


def links(work: Work) -> int:
    """Count the reads of a register that was just written: pairs of a read and a write in turn.

    >>> links(Work(scope="swx", base="forward",
    ...            steps=(("register_read_32", 50), ("register_write_32", 10))))
    10
    """
    if work.scope not in STRAIGHT:
        return 0
    times = [sum(number for kind, number in work.steps if kind.startswith(way))
             for way in ("register_read", "register_write")]  # fmt: skip
    return min(times)
