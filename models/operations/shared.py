r"""What entries cost more that several cores write to.

A core that writes to an entry takes its cache line from the core that wrote to it last. With
:math:`q` cores an operation on such entries takes

.. math:: t(q) = t + s (q - 1), \qquad \alpha = s / t,

which is the contention of the universal scalability law on the table's part of a packet alone: all
else of it takes as long as on one core.

References
----------
Gunther, Guerrilla Capacity Planning (2007), ch. 4.
"""

from __future__ import annotations

from linerate.models.operations.terms import Named, Term
from linerate.models.operations.work import Work

SHARED = "shared_"
"""Begins the names of kinds whose entries all cores write to."""
OF_RULES = frozenset({"limit", "log_group", "set_update", "ipset_update", "recent",
                      "connection_limit", "conntrack", "entered"})  # fmt: skip
"""Kinds of rulesets that all cores do at one place: a limit has one count, a group one listener, a
list of sources its entries or one lock, a limit of connections one list of them, and the connection
table one number of flows and one list of each."""


def shared_terms(work: Work) -> Named:
    """Name what a packet's operations on entries of all cores take more for each other core.

    >>> from linerate.models.operations.work import Work
    >>> two = (("queues", "2"),)
    >>> work = Work(scope="x", base="b", settings=two, steps=(("add", 3), ("shared_add", 4)))
    >>> {str(term): weight for term, weight in shared_terms(work).items()}
    {'x: shared shared_add': 4.0}
    """
    others = work.queues - 1
    return {
        Term("shared", work.scope, kind): float(others * times)
        for kind, times in work.steps if others and (kind.startswith(SHARED) or kind in OF_RULES)
    }  # fmt: skip
