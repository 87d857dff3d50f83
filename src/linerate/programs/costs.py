"""Names of the base costs that a calibration writes into a box, and a prediction reads there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product

from linerate.box import Cost

YARDSTICK = "yardstick"
"""Time of the work by which the speeds of two moments, or machines, are compared."""

COST_PARTS = 4
"""Of a base cost's name, points between."""
REDIRECT = "redirect"
SOCKETS = "af_xdp"
"""The datapath of functions in user space."""
TAKES_BURSTS = frozenset({"xdp_native"})
"""Hooks that are called for up to 64 packets in a row; others for one, and the stack goes on with
it before the next."""
VERDICTS: Mapping[str, Sequence[str]] = {
    "xdp_native": ("drop", "pass", "tx", REDIRECT),
    "xdp_generic": ("drop", "pass", "tx", REDIRECT),
    "tc": ("drop", "pass", REDIRECT),
    SOCKETS: ("drop", "tx"),
}
"""Of each datapath, whose base costs are calibrated."""
PAIRS: Mapping[str, Sequence[tuple[str, str]]] = {
    "xdp_native": (("drop", "pass"), ("drop", "tx"), ("pass", "tx")),
    "xdp_generic": (("drop", "pass"), ("drop", "tx"), ("pass", "tx")),
    "tc": (("drop", "pass"),),
}
"""Verdicts of which two, half each, are calibrated, of frames of 64 B and one queue."""
FRAME_BYTES = (64, 256, 1518)
"""Between them costs are taken to be linear: they rise by more up to 256 B than beyond."""

MIXED = "mixed."
"""Begins the names of what packets take more of which half get another verdict."""

OPERATION = "operation."
"""Begins the name of what one operation of a program costs."""

INSTRUCTION = "instruction"
"""The operation that is one plain instruction."""

AROUND = "around."
"""Begins the names of what, of an operation's cost, is of the instructions around it: those of the
program that was run to time it, as its compiler laid them out."""

BEHIND = "behind."
"""Begins the names of what a packet that passes takes more where the stack looks for its way."""
BEHIND_BYTES = (64, 1518)
"""Frame sizes of which it is calibrated, with one queue."""
UNROUTED, LOCAL, FORWARD = "unrouted", "local", "forward"
"""What the stack of a machine with addresses does with packets that pass: it finds no route and
drops, delivers to this host, where no socket takes them, or sends them out of another interface.
Without any address it drops them at once, as in a calibration of the hooks."""
STACK = (UNROUTED, LOCAL, FORWARD)
TO_CPU = "to_cpu"
"""What is redirected to the queue of another core takes so much more than what is redirected back:
on the core that redirects it. A machine of one core has no such cost."""
TAKING = "taking"
"""What that other core takes for such a packet, the way to where a stack without address drops it;
0 where it took all that came, so that the core that redirects is the slower one."""
TO_CPU_HOOKS = ("xdp_native", "xdp_generic")


def behind_name(datapath: str, kind: str, frame_bytes: int) -> str:
    """Name what a packet takes more of which something goes on behind the hook.

    >>> behind_name("tc", FORWARD, 64)
    'behind.tc.forward.64'
    """
    return f"{BEHIND}{datapath}.{kind}.{frame_bytes}"


SHARING = "sharing."
"""Begins the names of what a program takes that counts where all cores count."""
ALONE, TOGETHER = "alone", "together"
"""In test runs: on one core, and while so many run it."""

WORK = "work."
"""Begins the names of what packets take that are known by all that they execute: of rulesets and
pipelines, whose costs of another machine are carried over by them."""
CHAIN, PASSED, FRAME_BYTE = "chain-", "function", "frame_byte"
"""Begins the datapath of chains, which ends in what their functions run on; what a packet passes
there, and what it is long by."""
_COUNTED = re.compile(r"([1-9]\d{0,8}) (\w+)", re.ASCII)


def work_name(datapath: str, operations: Sequence[tuple[str, int]]) -> str:
    """Name the time of a packet that executes these, and nothing else.

    >>> work_name("nftables", (("compare_network", 10), ("rule", 12)))
    'work.nftables.10 compare_network + 12 rule'
    """
    return f"{WORK}{datapath}.{' + '.join(f'{times} {kind}' for kind, times in operations)}"


def chain_name(function: str) -> str:
    """Name what is timed of chains by what their functions run on, as a datapath is named.

    >>> chain_name("raw_socket")
    'chain-raw-socket'
    """
    return f"{CHAIN}{function.replace('_', '-')}"


def work_costs(costs: Mapping[str, Cost], datapath: str) -> dict[tuple[tuple[str, int], ...], Cost]:
    """Take the times of such packets, by what they execute; none of names that are no such.

    >>> cost = Cost(value_ns=300.0, lower_ns=290.0, upper_ns=310.0)
    >>> list(work_costs({"work.swx.1 extract + 2 move": cost, "yardstick": cost}, "swx"))
    [(('extract', 1), ('move', 2))]
    """
    found = {}
    for name, cost in _named(f"{WORK}{datapath}.", costs).items():
        pairs = [_COUNTED.fullmatch(part) for part in name.split(" + ")]
        operations = tuple((pair[2], int(pair[1])) for pair in pairs if pair)
        if len(operations) == len(pairs) == len(dict(operations)):
            found[tuple(sorted(operations))] = cost
    return found


def sharing_name(where: str, cores: int) -> str:
    """Name the time of that program on a datapath with so many queues, or in test runs.

    >>> sharing_name("xdp_native", 2), sharing_name(TOGETHER, 2)
    ('sharing.xdp_native.2', 'sharing.together.2')
    """
    return f"{SHARING}{where}.{cores}"


def mixed_name(datapath: str, one: str, other: str) -> str:
    """Name what a packet takes beyond the mean of both, where half get the other verdict.

    >>> mixed_name("tc", "pass", "drop")
    'mixed.tc.drop_pass'
    """
    return f"{MIXED}{datapath}.{'_'.join(sorted((one, other)))}"


SPLIT, SERIAL = "split.", "serial."
"""Begin the names of what a packet of 64 B takes that a program only sends back: of the device's
core where nothing else runs on it, and where generator and sink do."""
LATENCY = "latency_"
"""Begins the names of this program's latencies on a core of its own."""
LATENCIES = ("p50", "mean", "p99")


def latency_name(which: str, datapath: str, percent: int) -> str:
    """Name a latency at a load in percent of what is forwarded at most.

    >>> latency_name("p99", "tc", 50)
    'latency_p99.tc.50'
    """
    return f"{LATENCY}{which}.{datapath}.{percent}"


def latency_percents(costs: Mapping[str, Cost], datapath: str) -> tuple[int, ...]:
    """List the loads of one datapath at which latencies were calibrated, ascending."""
    first = latency_name(LATENCIES[0], datapath, 0).removesuffix("0")
    return tuple(sorted(int(name.removeprefix(first)) for name in costs if name.startswith(first)))


def operation_costs(costs: Mapping[str, Cost]) -> dict[str, Cost]:
    """Take what operations cost, by their names; empty where none was calibrated."""
    return _named(OPERATION, costs)


def around_costs(costs: Mapping[str, Cost]) -> dict[str, Cost]:
    """Take what instructions around operations cost, by these; empty where none were counted."""
    return _named(AROUND, costs)


def _named(kind: str, costs: Mapping[str, Cost]) -> dict[str, Cost]:
    return {name.removeprefix(kind): cost for name, cost in costs.items() if name.startswith(kind)}


def cost_name(datapath: str, verdict: str, frame_bytes: int, queues: int) -> str:
    """Name what a hook costs by itself.

    >>> cost_name("xdp_native", "tx", 64, 1)
    'xdp_native.tx.64.1'
    """
    return f"{datapath}.{verdict}.{frame_bytes}.{queues}"


def is_base(name: str, datapath: str | None = None) -> bool:
    """Whether a cost is that of a hook by itself: of any, or of one.

    >>> is_base("tc.pass.64.1"), is_base("mixed.tc.drop_pass"), is_base("tc.map_lookup.base_ns")
    (True, False, False)
    >>> is_base("tc.pass.64.1", "xdp_native")
    False
    """
    parts = name.split(".")
    return len(parts) == COST_PARTS and parts[0] in ([datapath] if datapath else VERDICTS)


def behind_verdict(kind: str) -> str:
    """Name the verdict of the packets that take more by it on the core that runs the program.

    >>> behind_verdict(LOCAL), behind_verdict(TO_CPU), behind_verdict(TAKING)
    ('pass', 'redirect', '')
    """
    return {TO_CPU: REDIRECT, TAKING: ""}.get(kind, "pass")


def hook_cost_names() -> set[str]:
    """Name the costs of hooks that a whole calibration has: the bases, and what lies behind."""
    kernel = [datapath for datapath in VERDICTS if datapath != SOCKETS]
    return base_cost_names() | {
        behind_name(datapath, kind, size)
        for datapath, kind, size in product(kernel, STACK, BEHIND_BYTES)
    }


def base_cost_names() -> set[str]:
    """Name the base costs that a calibration has, of one queue."""
    return {
        cost_name(datapath, verdict, size, 1)
        for datapath, verdicts in VERDICTS.items()
        for verdict, size in product(verdicts, FRAME_BYTES)
    }
