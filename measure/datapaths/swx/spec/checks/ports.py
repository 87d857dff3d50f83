"""Which fields are only ever numbers of ports that are there.

DPDK takes the number of a port for the place of a function in an array, and does not look how long
the array is. So where a number comes from is followed back to constants and arguments of entries,
which are checked when they are read. Where a packet itself decides the number, two instructions
before ``tx`` drop what is for a port that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

PORT_MAX = 1
"""Port 0 sends back, port 1 drops. All bits of it are ones: ``or`` and ``xor`` stay below."""


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
