"""The .spec text of a parsed pipeline: what DPDK gets is never the user's own bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linerate.measure.datapaths.swx.spec.spec import Instruction, Selector, Spec, Table


def print_spec(spec: Spec) -> str:
    """Write a pipeline, each statement in one way only.

    Parsing what is written gives the same pipeline.

    >>> from linerate.measure.datapaths.swx.spec.file import parse_spec
    >>> lines = ["struct m_t {", "bit<32> port // in", "}", "metadata instanceof m_t",
    ...          "apply {", "rx m.port", "tx 0X0", "}"]
    >>> spec = parse_spec(chr(10).join(lines))
    >>> print_spec(spec).split()[-6:]
    ['{', 'rx', 'm.port', 'tx', '0x0', '}']
    >>> parse_spec(print_spec(spec)) == spec
    True
    """
    return "".join(f"{line}\n" for line in _lines(spec))


def _lines(spec: Spec) -> Iterator[str]:
    for name, fields in spec.structs.items():
        yield from _block(f"struct {name}", _fields(fields.items(), name in spec.varbits))
    for name, struct in spec.headers.items():
        yield f"header {name} instanceof {struct}"
    yield f"metadata instanceof {spec.metadata}"
    for name, registers in spec.registers.items():
        yield f"regarray {name} size {registers.size} initval {registers.initial:#x}"
    for name, size in spec.meters.items():
        yield f"metarray {name} size {size}"
    for name, action in spec.actions.items():
        args = f"instanceof {action.args}" if action.args else "none"
        yield from _block(f"action {name} args {args}", map(_instruction, action.instructions))
    for name, table in spec.tables.items():
        kind = "learner" if table.learns else "table"
        yield from _block(f"{kind} {name}", _table(table))
    for name, selector in spec.selectors.items():
        yield from _block(f"selector {name}", _selector(selector))
    yield from _block("apply", map(_instruction, spec.apply))


def _block(head: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"{head} {{"
    yield from (f"\t{line}" for line in lines)
    yield "}"


def _fields(fields: Iterable[tuple[str, int]], ends_in_varbit: bool) -> list[str]:
    lines = [f"bit<{bits}> {name}" for name, bits in fields]
    if ends_in_varbit:
        lines[-1] = f"var{lines[-1]}"
    return lines


def _instruction(each: Instruction) -> str:
    label = (each.label, ":") if each.label else ()
    return " ".join((*label, str(each)))


def _table(table: Table) -> Iterator[str]:
    if table.key:
        key = (field if table.learns else f"{field} {match}" for field, match in table.key)
        yield from _block("key", key)
    yield from _block("actions", (f"{name} {mark}".strip() for name, mark in table.actions))
    args = " ".join(f"{name} {value:#x}" for name, value in table.default_args) or "none"
    const = " const" if table.default_is_const else ""
    yield f"default_action {table.default_action} args {args}{const}"
    for keyword, word in (
        ("hash", table.hash_function), ("instanceof", table.table_type), ("pragma", table.pragma),
        ("size", "" if table.size is None else str(table.size)),
    ):  # fmt: skip
        if word:
            yield f"{keyword} {word}"
    if table.timeouts_s is not None:
        yield from _block("timeout", map(str, table.timeouts_s))


def _selector(selector: Selector) -> Iterator[str]:
    yield f"group_id {selector.group_id}"
    yield from _block("selector", selector.fields)
    yield f"member_id {selector.member_id}"
    yield f"n_groups_max {selector.groups_max}"
    yield f"n_members_per_group_max {selector.members_per_group_max}"
