"""Output ports: how many a pipeline names, and which fields are only ever numbers of these.

Port 0 sends packets back; on every other they end, and count as dropped by the program.

DPDK takes the number of a port for the place of a function in an array, and does not look how long
the array is. So where a number comes from is followed back to constants and arguments of entries,
which are checked when they are read. Where a packet itself decides the number, two instructions
before ``tx`` drop what is for a port that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

PORT_MAX = 63
"""Last port that a pipeline may name: it polls each of them."""


def last_port(spec: Spec, entries: Iterable[str] = ()) -> int:
    """Find the last output port that a pipeline needs.

    Parameters
    ----------
    spec
        The pipeline.
    entries
        Entries of its tables, one a line, as they are read.

    Returns
    -------
    1, 3, 7, ... or ``PORT_MAX``: no less than what constants and entries name, and with ones for
    all its bits, so that ``or`` and ``xor`` of ports stay below. What is sent beyond is dropped.
    """
    numbers = [number for number in _named(spec, entries) if number <= PORT_MAX]
    return int((1 << max(1, *(number.bit_length() for number in numbers), 1)) - 1)


def _named(spec: Spec, entries: Iterable[str]) -> Iterator[int]:
    """Every number that is sent to, or comes into a field that is."""
    sent = {each.operands[0] for _, each in _code(spec) if each.name == "tx"}
    fields = frozenset(word for field in sent for word in _group(spec, field))
    args = set()
    for action, each in _code(spec):
        if not fields & set(_written(spec, each)) and each.name != "tx":
            continue
        for word in each.operands:
            if (number := number_of(word)) is not None:
                yield number
            elif word.startswith("t."):
                args.add((action, word.removeprefix("t.")))
    for table in spec.tables.values():
        default = dict(table.default_args)
        yield from (default.get(arg, 0) for action, arg in args if action == table.default_action)
    if args:
        yield from _in_entries(args, entries)


def _in_entries(args: set[tuple[str, str]], entries: Iterable[str]) -> Iterator[int]:
    for entry in entries:
        _, _, called = entry.partition(" action ")
        action, *values = called.split() or [""]
        for name, value in zip(values[::2], values[1::2], strict=False):
            if (action, name) in args:
                yield number_of(value) or 0


def port_args(spec: Spec, action: str) -> frozenset[str]:
    """Arguments of an action that become the number of a port, without a guard."""
    fields = safe_fields(spec)
    return frozenset(
        word.removeprefix("t.")
        for each in spec.actions[action].instructions
        if fields & set(_written(spec, each))
        for word in each.operands[1:]
        if word.startswith("t.")
    )


def safe_fields(spec: Spec) -> frozenset[str]:
    """Fields of metadata that are only ever numbers of ports that are there."""
    sent = {each.operands[0] for _, each in _code(spec) if each.name == "tx"}
    groups = [_group(spec, field) for field in sent if field.startswith("m.")]
    return frozenset(field for group in groups if _is_safe(spec, group) for field in group)


def _group(spec: Spec, field: str) -> frozenset[str]:
    """Return a field and all whose value comes into it."""
    fields = {field}
    while True:
        more = {
            word
            for _, each in _code(spec)
            if each.name in ("mov", "or", "xor") and each.operands[0] in fields
            for word in each.operands[1:]
            if word.startswith("m.")
        }
        if more <= fields:
            return frozenset(fields)
        fields |= more


def _is_safe(spec: Spec, fields: frozenset[str]) -> bool:
    return all(
        _stays(spec, action, each, fields)
        for action, each in _code(spec)
        if fields & set(_written(spec, each))
    )


def _code(spec: Spec) -> Iterator[tuple[str, Instruction]]:
    """All instructions, with the action in which they stand."""
    yield from (("", each) for each in spec.apply)
    for name, action in spec.actions.items():
        yield from ((name, each) for each in action.instructions)


def _written(spec: Spec, each: Instruction) -> tuple[str, ...]:
    """Operands that an instruction writes."""
    match each.name:
        case "hash":
            return each.operands[1:2]
        case "meter":
            return each.operands[-1:]
        case "table":
            selector = spec.selectors.get(each.operands[0])
            return (selector.member_id,) if selector else ()
        case "tx" | "learn" | "rearm" | "regwr" | "regadd" | "emit":
            return ()
    return each.operands[:1]


def _stays(spec: Spec, action: str, each: Instruction, fields: frozenset[str]) -> bool:
    """Whether what is written is the number of a port that is there."""
    if each.name not in ("mov", "or", "xor"):
        return each.name in ("rx", "and", "shr")
    source = each.operands[1]
    if source.startswith("t."):
        return each.name == "mov" and _is_checked(spec, action, source[2:])
    number = number_of(source)
    return source in fields or (number is not None and number <= PORT_MAX)


def _is_checked(spec: Spec, action: str, arg: str) -> bool:
    """Whether an argument comes from entries alone, and is a port in the default ones."""
    return all(
        not table.learns
        and (table.default_action != action or dict(table.default_args).get(arg, 0) <= PORT_MAX)
        for table in spec.tables.values()
        if action in dict(table.actions)
    )
