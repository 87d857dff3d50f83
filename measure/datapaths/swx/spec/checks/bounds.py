"""Whether a pipeline's parts are as many and as large as DPDK 22.11 has room for.

It keeps numbers of parts and offsets of fields in 8 bits and does not say when one is larger.
"""

from __future__ import annotations

from collections.abc import Mapping

from linerate.errors import BadInputError, bad_input
from linerate.measure.datapaths.swx.spec.checks.refusal import refuse
from linerate.measure.datapaths.swx.spec.memory import power_of_2
from linerate.measure.datapaths.swx.spec.spec import TABLE_MARK, Selector, Spec, Table

HEADERS_MAX = 63
"""DPDK has a bit of 64 for each; one more is ours, see `spec_padding`."""
HEADER_BYTES_MAX = 255
PARTS_MAX = 256
"""Actions, tables, arrays of registers: each has a number of 8 bits."""
STRUCT_BYTES_MAX = 8191
"""Offsets of hashed fields have 16 bits, counted in bits."""
OFFSET_BYTES_MAX = 255
ENTRIES_MAX = 1 << 24
"""Of a table, and registers of an array."""
MEMBERS_MAX = 1 << 28
"""Of a selector's groups in all, each number rounded up to a power of two: 1 GiB."""
METERS_MAX = 1 << 20
TIMEOUTS_MAX = 16


def check_bounds(spec: Spec) -> None:
    """Refuse what DPDK has no room for.

    Raises
    ------
    BadInputError
        With what is too many or too large.
    """
    _check_parts(spec)
    for name, fields in spec.structs.items():
        _check(
            spec,
            f"struct {name}",
            sum(fields.values()) // 8,
            range(1, STRUCT_BYTES_MAX + 1),
            "bytes",
        )
    for name, struct in spec.headers.items():
        bytes_ = sum(spec.structs[struct].values()) // 8
        _check(spec, f"header {name}", bytes_, range(1, HEADER_BYTES_MAX + 1), "bytes")
    for name, registers in spec.registers.items():
        _check(spec, f"regarray {name}", registers.size, range(1, ENTRIES_MAX + 1), "registers")
    for name, size in spec.meters.items():
        _check(spec, f"metarray {name}", size, range(1, METERS_MAX + 1), "meters")
    for name, table in spec.tables.items():
        _check_table(spec, name, table)
    for name, selector in spec.selectors.items():
        _check_selector(spec, name, selector)
    _check_offsets(spec)


def _check_parts(spec: Spec) -> None:
    _check(spec, "headers", len(spec.headers), range(0, HEADERS_MAX + 1), "headers")
    parts: tuple[Mapping[str, object], ...] = (
        spec.actions, spec.tables, spec.selectors, spec.registers, spec.meters
    )  # fmt: skip
    for part in parts:
        _check(spec, next(iter(part), ""), len(part), range(0, PARTS_MAX + 1), "of its kind")
    for name in spec.selectors:
        if name in spec.tables:
            raise bad_input(
                spec.source, name, why="a table has that name", allowed="each name once",
                do="rename one",
            )  # fmt: skip


def _check(spec: Spec, what: str, got: int, allowed: range, unit: str) -> None:
    if got not in allowed:
        raise bad_input(
            spec.source, what, why=f"it has {got} {unit}; DPDK has no room for it",
            allowed=f"{allowed[0]}..{allowed[-1]} {unit}", do="change it",
        )  # fmt: skip


def _check_table(spec: Spec, name: str, table: Table) -> None:
    _check(spec, f"table {name}", table.size or 0, range(0, ENTRIES_MAX + 1), "entries")
    _check_key(spec, name, table)
    if table.timeouts_s is not None:
        _check(
            spec, f"learner {name}", len(table.timeouts_s), range(1, TIMEOUTS_MAX + 1), "timeouts"
        )
        _check(spec, f"learner {name}", table.size or 0, range(1, ENTRIES_MAX + 1), "entries")
    mark = dict(table.actions).get(table.default_action, TABLE_MARK)
    if mark == TABLE_MARK:
        raise _refusal(
            spec, table, f"default_action {table.default_action}",
            "DPDK looks for it beyond the table's own actions", "one of its actions",
        )  # fmt: skip
    args = spec.structs.get(spec.actions[table.default_action].args, {})
    given = dict(table.default_args)
    if table.default_args and (
        [each for each, _ in table.default_args] != list(args)
        or any(given[each] >> bits for each, bits in args.items())
    ):
        allowed = " ".join(f"{each} VALUE" for each in args) or "none"
        raise _refusal(
            spec, table, f"default_action {table.default_action}",
            "the action has other arguments", f"arguments in order: {allowed}",
        )  # fmt: skip
    for action, _ in table.actions:
        for each in spec.actions[action].instructions:
            if each.name in ("learn", "rearm", "forget") and not table.learns:
                raise refuse(spec, each, f"table {name} learns nothing", "in actions of a learner")


def _check_key(spec: Spec, name: str, table: Table) -> None:
    fields, kinds = [field for field, _ in table.key], [match for _, match in table.key]
    twice = next((field for field in fields if fields.count(field) > 1), None)
    if twice:
        raise _refusal(spec, table, twice, "it is in the key twice", "each field once")
    if "lpm" in kinds and kinds.count("exact") != len(kinds) - 1:
        raise _refusal(spec, table, f"key of {', '.join(kinds)}", "DPDK has no such table",
                       "one lpm field, and beside it exact ones")  # fmt: skip
    if not (table.size or table.learns) and spec.match_of(name) == "exact":
        raise _refusal(spec, table, f"size {table.size}", "DPDK makes no exact table of no entries",
                       "size 1 or more")  # fmt: skip


def _check_selector(spec: Spec, name: str, selector: Selector) -> None:
    members = power_of_2(selector.groups_max) * power_of_2(selector.members_per_group_max)
    if not selector.groups_max or not selector.members_per_group_max:
        members = 0
    _check(spec, f"selector {name}", members, range(1, MEMBERS_MAX + 1), "members")
    for field in (selector.group_id, selector.member_id, *selector.fields):
        if not spec.bits(field) or (field not in selector.fields and field[0] != "m"):
            raise _refusal(
                spec, selector, field, "it is not a field of a selector",
                "fields of one header or of metadata; group_id and member_id of metadata",
            )  # fmt: skip


def _check_offsets(spec: Spec) -> None:
    codes = [("", spec.apply)] + [
        (action.args, action.instructions) for action in spec.actions.values()
    ]
    for args, code in codes:
        for each in code:
            for word in each.operands[: 2 if each.name == "hash" else None]:
                place = spec.offset_bits(word, args)
                if place is not None and place // 8 > OFFSET_BYTES_MAX:
                    raise refuse(
                        spec, each, f"{word} begins at byte {place // 8}: DPDK would take another",
                        f"fields that begin by byte {OFFSET_BYTES_MAX}", "move it to the front",
                    )  # fmt: skip


def _refusal(spec: Spec, part: Table | Selector, got: str, why: str, allowed: str) -> BadInputError:
    return bad_input(f"{spec.source}:{part.line}", got, why=why, allowed=allowed, do="correct it")
