"""Rulesets of one's own: what a packet walks through, upon coming to the datapath's first hook.

Rules, comparisons, lookups, counters and jumps by their number; the hooks and the cache lines of a
frame beyond its first are operations too, so that all of a packet is one sum.
"""

from __future__ import annotations

from linerate.models.operations.own import BARE, own_steps
from linerate.models.operations.work import Operations, Work

RULESETS = ("nftables", "iptables")
"""Datapaths whose own programs are rulesets."""


def ruleset_work(datapath: str, operations: Operations, queues: int = 1) -> Work:
    """Say what a packet of a run goes through, on so many cores, one a queue.

    >>> str(ruleset_work("nftables", (("compare", 10), ("receive", 1), ("rule", 10))))
    'nftables/bare, 10 compare + 10 rule'
    """
    several = (("queues", str(queues)),) if queues > 1 else ()
    return Work(scope=datapath, base=BARE, settings=several, steps=own_steps(operations))
