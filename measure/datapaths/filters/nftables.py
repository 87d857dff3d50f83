"""Filters that are rules of nftables, in a table of their own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, TypeAdapter

from linerate.cells import Cell
from linerate.measure.datapaths.filters.filter import SUBNET, DropCount, Filter
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes.held import HeldProcess, hold_process

TOOL = "nft"
TABLE = "linerate"
PRIORITIES = {"ingress": 0, "prerouting": -300, "input": 0}
"""Of each hook: before everything else there, and where filters are by custom."""
FAMILIES = {"ingress": "netdev", "prerouting": "ip", "input": "ip"}
"""Of each hook: a device's own, before the network stack, or that of all IPv4 packets."""
# A later fragment has no header of layer 4; @ih is the payload, TCP options left behind.
_TO_SUBNET = f"ip daddr {SUBNET} ip frag-off & 0x1fff == 0"
MATCHES = {
    "drop_all": "",
    "drop_tcp_subnet": f"{_TO_SUBNET} ip protocol tcp",
    "drop_udp_subnet": f"{_TO_SUBNET} ip protocol udp",
    "drop_tcp_subnet_flags": f"{_TO_SUBNET} tcp flags & (syn | rst) == (syn | rst)",
    "drop_tcp_subnet_payload": f"{_TO_SUBNET} ip protocol tcp @ih,8,8 {ord('X'):#x}",
}
"""What each program matches."""
_UNPADDED = "ip length >= 42"
"""At ingress short frames still have their padding, which is not a payload: IP and TCP header and
two bytes. With a few bytes of options and no payload, padding may still be taken for it."""


class _Counter(BaseModel):
    packets: int


class _Statement(BaseModel):
    counter: _Counter | None = None


class _Rule(BaseModel):
    expr: list[_Statement]


class _Listed(BaseModel):
    rule: _Rule | None = None


class _Listing(BaseModel):
    nftables: list[_Listed]


_LISTING = TypeAdapter(_Listing)


def ruleset(program: str, hook: str, device: str, *, only: bool = False) -> str:
    """Rules of a program, for ``nft -f``; they fail where the table exists already.

    Parameters
    ----------
    program, hook
        What is dropped, and where.
    device
        Whose packets the ingress hook gets.
    only
        Leave packets of all other devices alone on the other hooks, too.

    >>> print(ruleset("drop_all", "input", "eth7"))
    create table ip linerate
    add chain ip linerate filter { type filter hook input priority 0; }
    add rule ip linerate filter counter drop
    """
    match = MATCHES[program]
    if hook == "ingress" and "@ih" in match:
        match = f"{_UNPADDED} {match}"
    if only and hook != "ingress":
        match = f'iif "{device}" {match}'
    # A counter of the rule's own: one with a name is called through a pointer, which costs more.
    rule = f"{match} counter drop".lstrip()
    table = _table(hook)
    where = f"{hook} device {device}" if hook == "ingress" else hook
    return "\n".join(
        (
            f"create table {table}",
            f"add chain {table} filter {{ type filter hook {where} priority {PRIORITIES[hook]}; }}",
            f"add rule {table} filter {rule}",
        )
    )


@contextmanager
def add_nftables_filter(lab: DeviceLab, cell: Cell) -> Iterator[Filter]:
    """Put a filter's table into the device's namespace, take it out at the end.

    The table is owned: the kernel takes it out with the process that made it, however that ends,
    and no other can change it.

    Raises
    ------
    LinerateError
        The table is there already, or the kernel lacks something.
    """
    hook = settings_of(cell).hook
    rules = ruleset(cell.program, hook, lab.dut_device, only=lab.is_shared)
    lab.dut.run([TOOL, "--check", "-f", "-"], text_in=rules)  # an interactive nft has no exit code
    # The device has another name in each process.
    alike = ruleset(cell.program, hook, "dut", only=lab.is_shared)
    interactive = lab.dut.argv([TOOL, "--json", "--interactive"])
    with hold_process(TOOL, interactive, greets=False, under_test=True) as tool:
        made, *more = rules.splitlines()
        tool.tell("; ".join((f"{made} {{ flags owner; }}", *more)))
        yield Filter(
            program_hash=hashlib.sha256(alike.encode()).hexdigest()[:16],
            count=lambda: _count(tool, hook),
            processes=(tool,),
        )


def _table(hook: str) -> str:
    return f"{FAMILIES[hook]} {TABLE}"


def _count(tool: HeldProcess, hook: str) -> DropCount:
    packets = counted_packets(tool, _table(hook), "filter")
    return DropCount(at_ns=time.monotonic_ns(), packets=packets)


def counted_packets(tool: HeldProcess, table: str, chain: str) -> int:
    """Sum the counters of a chain's rules, by an interactive nft."""
    answer = tool.ask(f"list chain {table} {chain}")
    rules = [entry.rule for entry in tool.parse(_LISTING, answer).nftables if entry.rule]
    return sum(each.counter.packets for rule in rules for each in rule.expr if each.counter)
