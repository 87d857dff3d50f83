"""A pipeline as its .spec file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Match = Literal["exact", "lpm", "wildcard", "keyless"]
TABLE_MARK, DEFAULT_MARK = "@tableonly", "@defaultonly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction, where it stands."""

    line: int = field(compare=False)
    """Number in the file, from 1; two pipelines are the same wherever their lines stand."""
    name: str
    operands: tuple[str, ...]
    label: str = ""
    """What jumps name it by; empty for none."""

    def __str__(self) -> str:
        """Write it without its label."""
        return " ".join((self.name, *self.operands))


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a table runs."""

    args: str
    """Struct of its arguments; empty for none."""
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table or a learner: a key, and actions by entry."""

    line: int = field(compare=False)
    key: tuple[tuple[str, str], ...]
    """Pairs (field, match)."""
    actions: tuple[tuple[str, str], ...]
    """Pairs (action, mark); most marks are empty, the others ``TABLE_MARK`` or ``DEFAULT_MARK``."""
    default_action: str
    default_args: tuple[tuple[str, int], ...] = ()
    """Pairs (argument, value) of the default action."""
    default_is_const: bool = False
    size: int | None = None
    """Entries; None where the file says nothing."""
    hash_function: str = ""
    """Empty where DPDK chooses, as are the next two."""
    table_type: str = ""
    pragma: str = ""
    timeouts_s: tuple[int, ...] | None = None
    """Of a learner; None of a table."""

    @property
    def learns(self) -> bool:
        """Whether packets themselves add entries."""
        return self.timeouts_s is not None

    @property
    def entry_actions(self) -> tuple[str, ...]:
        """Actions that an entry may name."""
        return tuple(name for name, mark in self.actions if mark != DEFAULT_MARK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A table of groups: a hash of fields chooses a member."""

    line: int = field(compare=False)
    group_id: str
    fields: tuple[str, ...]
    member_id: str
    groups_max: int
    members_per_group_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Registers:
    """An array of registers, 64 bits each."""

    size: int
    initial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A whole pipeline; what refers to something refers to something that is there."""

    source: str = field(compare=False)
    """Name of the file, for errors."""
    structs: Mapping[str, Mapping[str, int]]
    """Width of each field in bits, in order, by struct."""
    varbits: frozenset[str]
    """Structs whose last field has at most its width."""
    headers: Mapping[str, str]
    """Struct of each header."""
    metadata: str
    """Struct of the metadata."""
    actions: Mapping[str, Action]
    tables: Mapping[str, Table]
    selectors: Mapping[str, Selector]
    registers: Mapping[str, Registers]
    meters: Mapping[str, int]
    """Size of each array of meters."""
    apply: tuple[Instruction, ...]

    def bits(self, field: str, args: str = "") -> int | None:
        """Width of a field, None where there is no such field.

        Parameters
        ----------
        field
            As instructions name it: ``h.ipv4.ttl``, ``m.port_in``, ``t.value``.
        args
            Struct of the arguments of the action in which it stands.
        """
        fields, name = self._place(field, args)
        return fields.get(name)

    def offset_bits(self, field: str, args: str = "") -> int | None:
        """Where a field begins within its struct, None where there is no such field."""
        fields, name = self._place(field, args)
        if name not in fields:
            return None
        names = list(fields)
        return sum(fields[each] for each in names[: names.index(name)])

    def header_bytes(self, header: str) -> int:
        """Bytes of a header, ``h.ipv4``, without a field of varying size."""
        struct = self.headers[header.removeprefix("h.")]
        bits = list(self.structs[struct].values())
        return sum(bits[:-1] if struct in self.varbits else bits) // 8

    def _place(self, field: str, args: str) -> tuple[Mapping[str, int], str]:
        space, _, rest = field.partition(".")
        if space == "h":
            header, _, name = rest.partition(".")
            return self.structs.get(self.headers.get(header, ""), {}), name
        if space == "m":
            return self.structs[self.metadata], rest
        return (self.structs.get(args, {}) if space == "t" else {}), rest

    def match_of(self, table: str) -> Match:
        """Match kind that DPDK runs: keys with gaps are wildcards to it, whatever they are called.

        ``table_match_type_resolve`` and ``table_match_fields_check`` in rte_swx_pipeline.c.
        """
        key = self.tables[table].key
        kinds = {match for _, match in key}
        if not key:
            return "keyless"
        if "lpm" in kinds:
            return "lpm"
        learns = self.tables[table].learns
        return "exact" if kinds == {"exact"} and (learns or self._adjoin(key)) else "wildcard"

    def _adjoin(self, key: tuple[tuple[str, str], ...]) -> bool:
        first = key[0][0]
        struct = self.metadata if first.startswith("m.") else self.headers[first.split(".")[1]]
        order = list(self.structs[struct])
        places = sorted(order.index(field.rpartition(".")[2]) for field, _ in key)
        return places == list(range(places[0], places[0] + len(places)))
