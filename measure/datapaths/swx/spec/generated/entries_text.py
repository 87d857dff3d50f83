"""The entries of a generated pipeline's tables, in the words of DPDK's table files."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.measure.datapaths.swx.spec.generated.joining import joining_entries
from linerate.measure.datapaths.swx.spec.generated.operation_lines import table_names
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import MISS

FLOW_ADDRESS = 0xC6130000
"""198.19.0.0: destination address of flow 0 (``SWX_DESTINATION`` in swx/native/ports/frame.h); each
flow has the next one."""
FLOWS_BITS = 16
SOURCE_ADDRESS = 0xC6120001
"""198.18.0.1: source address of all flows."""
NEXT_HOP, OWN_STATION, DEVICE = 0x020000000003, 0x020000000004, 0x020000000002
"""Stations: where packets are routed to, the router's side there, and whom packets come in for."""
SENDER = 0x020000000001
"""Station that all frames come from."""
ELSEWHERE = 0x0A000000
"""10.0.0.0: destination addresses that no flow has."""


def entries_text(program: SwxProgram) -> dict[str, str]:
    """Text of each table's file, by table.

    >>> text = entries_text(SwxProgram(operations=(("table_exact", 1),), table_entries=2))
    >>> print(text["table_exact_0"], end="")
    match 0xc6130000 action copy value 0x1
    match 0xc6130001 action copy value 0x2
    """
    routing = {"routes": _routes(), "stations": _stations()} if program.base == "l2l3" else {}
    copying = {
        name: "".join(_copies(match, program.table_entries, number))
        for number, (name, match) in enumerate(table_names(program)) if match != "keyless"
    }  # fmt: skip
    return routing | copying | joining_entries(program)


def copied_value(table_number: int, entry: int) -> int:
    """Value that the entry of a table copies; no two entries of a program have the same.

    >>> copied_value(0, 0), copied_value(1, 4)
    (1, 65541)
    """
    return (table_number << FLOWS_BITS) + entry + 1


def entry_of_flow(match: str, entries: int, flow: int) -> int | None:
    """Which entry a flow hits.

    Exact tables know the first flows only. Prefixes and masks parted the space of flows evenly.

    >>> entry_of_flow("exact", 4, 3), entry_of_flow("exact", 4, 4), entry_of_flow("lpm", 4, 16384)
    (3, None, 1)
    """
    if match == "lpm":
        return flow >> FLOWS_BITS - (entries.bit_length() - 1)
    if match == "wildcard":
        return flow % entries
    return flow if flow < entries else None


def _copies(match: str, entries: int, table_number: int) -> Iterator[str]:
    for entry in range(entries):
        yield f"match {_key(match, entries, entry)} action copy " \
              f"value {copied_value(table_number, entry):#x}\n"  # fmt: skip


def _key(match: str, entries: int, entry: int) -> str:
    bits = entries.bit_length() - 1
    first = ELSEWHERE if match.endswith(MISS) else FLOW_ADDRESS
    match = match.removesuffix(MISS)
    if match == "lpm":
        mask = 0xFFFFFFFF >> FLOWS_BITS - bits << FLOWS_BITS - bits
        return f"{first + (entry << FLOWS_BITS - bits):#x}/{mask:#x}"
    if match == "exact_8":
        return f"{SOURCE_ADDRESS:#x} {FLOW_ADDRESS + entry:#x}"
    if match == "exact_16":
        return f"{DEVICE:#x} {SENDER + entry:#x}"
    if match == "wildcard_16":
        return f"0x0/0x0 0x0/0x0 0x0/0x0 0x0/0x0 {first + entry:#x}/0xffffffff priority 0"
    if match == "wildcard":
        mask = 0xFFFF0000 | (entries - 1)
        return f"{first + entry:#x}/{mask:#x} priority 0"
    return f"{FLOW_ADDRESS + entry:#x}"


def _routes() -> str:
    """Cover all addresses of benchmarks (RFC 2544), and with a longer prefix those of flows."""
    hop = f"action route dst_addr {NEXT_HOP:#x} src_addr {OWN_STATION:#x} port_out 0\n"
    return f"match 0xc6120000/0xfffe0000 {hop}match {FLOW_ADDRESS:#x}/0xffff0000 {hop}"


def _stations() -> str:
    return f"match {DEVICE:#x} action bridge port_out 0\n"
