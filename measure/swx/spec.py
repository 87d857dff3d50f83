"""A pipeline as its .spec file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Match = Literal["exact", "lpm", "wildcard", "keyless"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction, where it stands."""

    line: int
    """Number in the file, from 1."""
    name: str
    operands: tuple[str, ...]
    label: str = ""
    """What jumps name it by; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a table runs."""

    args: str
    """Struct of its arguments; empty for none."""
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table or a learner: a key, and actions by entry."""

    line: int
    key: tuple[tuple[str, str], ...]
    """Pairs (field, match)."""
    entry_actions: tuple[str, ...]
    default_action: str
    learns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A whole pipeline; what refers to something refers to something that is there."""

    source: str
    """Name of the file, for errors."""
    structs: Mapping[str, Mapping[str, int]]
    """Width of each field in bits, in order, by struct."""
    headers: Mapping[str, str]
    """Struct of each header."""
    metadata: str
    """Struct of the metadata."""
    actions: Mapping[str, Action]
    tables: Mapping[str, Table]
    selectors: frozenset[str]
    registers: Mapping[str, int]
    """Size of each array of registers."""
    meters: frozenset[str]
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
        space, _, rest = field.partition(".")
        if space == "h":
            header, _, name = rest.partition(".")
            return self.structs.get(self.headers.get(header, ""), {}).get(name)
        if space == "m":
            return self.structs[self.metadata].get(rest)
        return self.structs.get(args, {}).get(rest) if space == "t" else None

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
