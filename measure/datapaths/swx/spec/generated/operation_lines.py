"""The instructions of the operations that a generated pipeline is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.measure.datapaths.swx.spec.generated.joining import joining_line, joining_operands
from linerate.measure.datapaths.swx.spec.generated.program import FLOWS_MAX, SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import (
    ARITHMETIC,
    JOINING_MAX,
    KINDS_MAX,
    OPERATIONS_MAX,
    PARSING,
)

TUPLE = (
    ("src_addr", 32, "h.ipv4.src_addr"),
    ("dst_addr", 32, "h.ipv4.dst_addr"),
    ("protocol", 8, "h.ipv4.protocol"),
    ("src_port", 16, "h.udp.src_port"),
    ("dst_port", 16, "h.udp.dst_port"),
)
"""Metadata fields that are hashed: a hash takes neighbouring fields of one struct, so they are
copied there from their headers, once."""
HASHED = f"m.{TUPLE[0][0]} m.{TUPLE[-1][0]}"
HEADER_HASHED = "h.ipv4.src_addr h.ipv4.dst_addr"
"""What pipelines hash that copy nothing first."""


def table_names(program: SwxProgram) -> list[tuple[str, str]]:
    """Names and match kinds of the tables that operations look up, in the order of lookup."""
    return [
        (f"{kind}_{number}", kind.removeprefix("table_"))
        for kind, number in in_turn(program)
        if kind.startswith("table_")
    ]


def in_turn(program: SwxProgram) -> Iterator[tuple[str, int]]:
    """Operations in the order of execution, with their number within their kind.

    Kinds take turns: a program of many reads and one table is not a program of one after the
    other. Recirculation is not part of it: it surrounds all others.

    >>> [kind for kind, _ in in_turn(SwxProgram(operations=(("xor", 2), ("add", 1))))]
    ['add', 'xor', 'xor']
    """
    kinds = [kind for kind in KINDS_MAX if program.times(kind) and kind not in PARSING]
    for number in range(max(map(program.times, kinds), default=0)):
        yield from ((kind, number) for kind in kinds if number < program.times(kind))


def operation_lines(program: SwxProgram) -> list[str]:
    """Instructions, those that fetch operands first and those that show results last."""
    hashed = HEADER_HASHED if program.base == "parsed" else HASHED
    lines = [_instruction(kind, number, hashed) for kind, number in in_turn(program)]
    return [*_operands(program), *filter(None, lines), *_results(program)]


def _instruction(kind: str, number: int, hashed: str) -> str:
    if kind in ARITHMETIC:
        return ARITHMETIC[kind]
    if kind in JOINING_MAX and not kind.startswith("table"):
        return joining_line(kind, number)
    family, _, rest = kind.partition("_")
    if family == "hash":
        return f"hash {rest} m.hash {hashed}"
    if family == "table":
        return f"table {kind}_{number}"
    way, bits = rest.split("_")
    if way == "read":
        return f"regrd m.read_{bits} values m.index"
    return f"regwr values m.index m.written_{bits}"


def _operands(program: SwxProgram) -> Iterator[str]:
    if uses(program, "register"):
        yield "mov m.index h.udp.src_port"
        if program.registers > FLOWS_MAX:
            yield f"shl m.index {(program.registers // FLOWS_MAX).bit_length() - 1}"
    for bits in widths(program, "write"):
        yield f"mov m.written_{bits} h.ethernet.src_addr"
    if uses_tuple(program):
        yield from (f"mov m.{name} {source}" for name, _, source in TUPLE)
    yield from joining_operands(program)


def _results(program: SwxProgram) -> Iterator[str]:
    """Put what was read into the packet, where a test sees it and no C compiler leaves it out."""
    for bits in widths(program, "read")[-1:]:
        yield f"mov h.ethernet.src_addr m.read_{bits}"
    if uses(program, "hash"):
        yield "mov h.ipv4.src_addr m.hash"
    if copies(program):
        yield "mov h.ethernet.dst_addr m.copied"
    if program.times("recirculate"):
        yield "mov h.ipv4.diffserv m.pass_id"


def uses(program: SwxProgram, family: str) -> bool:
    """Whether any operation is of a family: ``register``, ``hash`` or ``table``."""
    return any(kind.startswith(family) for kind, _ in program.operations)


def uses_tuple(program: SwxProgram) -> bool:
    """Whether the packet's addresses, protocol and ports are needed in metadata."""
    return uses(program, "hash") and program.base != "parsed"


def copies(program: SwxProgram) -> bool:
    """Whether a table, a learner or a selector says what to copy into the packet."""
    return any(uses(program, family) for family in ("table", "learner", "selector"))


def widths(program: SwxProgram, way: str) -> list[int]:
    """Widths in which registers are read or written, in the order of execution."""
    start = f"register_{way}_"
    return [int(kind.removeprefix(start)) for kind in OPERATIONS_MAX
            if kind.startswith(start) and program.times(kind)]  # fmt: skip
