"""What could still be added to a program: operations that fit into the time it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from linerate.box import Cost
from linerate.models.objects.counted.call_costs import AGAIN
from linerate.models.objects.sound import COST_NS_MIN
from linerate.programs.costs import operation_costs

_ACRONYMS = {"lpm": "LPM", "lru": "LRU", "percpu": "per-CPU"}
_OF_BUFFERS = ("skb_", "l3_", "l4_")
"""Begin the name of what only packets of tc take, which are socket buffers."""
_IN_WORDS = {
    "adjust_tail": ("move of the tail", "moves of the tail"),
    "atomic": ("atomic addition", "atomic additions"),
    "clock": ("clock read", "clock reads"),
    "fib_lookup": ("lookup of a route", "lookups of routes"),
    "header_push_pop": ("header pushed and popped", "headers pushed and popped"),
    "perf_event_output": ("perf event", "perf events"),
    "random": ("random number", "random numbers"),
    "redirect_map": ("redirect by a map", "redirects by a map"),
    "ringbuf_output": ("record of a ring buffer", "records of a ring buffer"),
    "xdp_load_bytes": ("copy from a packet", "copies from a packet"),
    "xdp_store_bytes": ("copy to a packet", "copies to a packet"),
}
"""One and several of an operation whose name does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareOperation:
    """One kind of operation."""

    operation: str
    each_ns: float
    """Of one, with its working set in the caches."""
    count: int
    """As many as fit into the time that a packet leaves at line rate."""

    def __str__(self) -> str:
        plain = " ".join(_ACRONYMS.get(word, word) for word in self.operation.split("_"))
        one, several = _IN_WORDS.get(self.operation, (plain, f"{plain}s"))
        return f"{self.count} {one if self.count == 1 else several}"


def spare_operations(headroom_ns: float, costs: Mapping[str, Cost]) -> tuple[SpareOperation, ...]:
    """Say how many of each calibrated operation fit, the most expensive first.

    Lookups are those by keys that differ. Calls that only tc has are left out.

    Returns
    -------
    Empty where nothing fits, or no operation of this box was calibrated.
    """
    fitting = [
        SpareOperation(operation=name, each_ns=cost.value_ns, count=count)
        for name, cost in operation_costs(costs).items()
        if cost.value_ns >= COST_NS_MIN and not name.endswith(AGAIN)
        and not name.startswith(_OF_BUFFERS)
        and (count := int(headroom_ns / cost.value_ns)) >= 1
    ]  # fmt: skip
    return tuple(sorted(fitting, key=lambda spare: -spare.each_ns))
