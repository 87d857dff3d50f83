"""Filters that are rules of nftables, in a table of their own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, TypeAdapter, ValidationError

from linerate.cells import Cell
from linerate.errors import LinerateError
from linerate.measure.datapaths.answering import Answering, open_answering
from linerate.measure.datapaths.filters import SUBNET, DropCount, Filter, settings_of
from linerate.measure.labs.veth import VethLab

TOOL = "nft"
TABLE = "linerate"
COUNTER = "dropped"
PRIORITIES = {"prerouting": -300, "input": 0}
"""Of each hook: before everything else, and where filters are by custom."""
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


class _Counter(BaseModel):
    packets: int


class _Listed(BaseModel):
    counter: _Counter | None = None


class _Listing(BaseModel):
    nftables: list[_Listed]


_LISTING = TypeAdapter(_Listing)


def ruleset(program: str, hook: str) -> str:
    """Rules of a program, for ``nft -f``; they fail where the table exists already.

    >>> print(ruleset("drop_all", "input"))
    create table ip linerate
    add counter ip linerate dropped
    add chain ip linerate filter { type filter hook input priority 0; }
    add rule ip linerate filter counter name "dropped" drop
    """
    rule = f'{MATCHES[program]} counter name "{COUNTER}" drop'.lstrip()
    return "\n".join(
        (
            f"create table ip {TABLE}",
            f"add counter ip {TABLE} {COUNTER}",
            f"add chain ip {TABLE} filter "
            f"{{ type filter hook {hook} priority {PRIORITIES[hook]}; }}",
            f"add rule ip {TABLE} filter {rule}",
        )
    )


@contextmanager
def add_nftables_filter(lab: VethLab, cell: Cell) -> Iterator[Filter]:
    """Put a filter's table into the device's namespace, take it out at the end.

    Raises
    ------
    LinerateError
        The table is there already, or the kernel lacks something.
    """
    rules = ruleset(cell.program, settings_of(cell).hook)
    lab.dut.run([TOOL, "-f", "-"], text_in=rules)
    try:
        with open_answering(lab.dut, TOOL, [TOOL, "--json", "--interactive"]) as tool:
            yield Filter(
                program_hash=hashlib.sha256(rules.encode()).hexdigest()[:16],
                count=lambda: _count(tool),
            )
    finally:
        lab.dut.run([TOOL, "delete", "table", "ip", TABLE])


def _count(tool: Answering) -> DropCount:
    said = tool.ask(f"list counter ip {TABLE} {COUNTER}")
    at_ns = time.monotonic_ns()
    try:
        counters = [entry.counter for entry in _LISTING.validate_json(said).nftables]
    except ValidationError as error:
        raise LinerateError(f"{TOOL}: its answer cannot be read: {said[:200]!r}") from error
    return DropCount(at_ns=at_ns, packets=sum(found.packets for found in counters if found))
