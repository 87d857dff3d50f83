"""What a generated pipeline is to do with each packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.spec.kinds import KINDS_MAX, OPERATIONS_MAX, PARSING

Base = Literal["forward", "l2l3", "bare", "parsed"]
"""What a pipeline does anyway: send back what came, route it as Izolan (2023) did, receive and send
without a look at it, or parse it and send it back with nothing copied first."""
PRICING: tuple[Base, ...] = ("bare", "parsed")
"""Those from which pipelines of one's own are priced: with nothing in them that is not counted."""
FLOWS_MAX = 1 << 16
"""Flows have numbers of 16 bits."""
TABLE_ENTRIES_MAX = FLOWS_MAX
REGISTERS_MAX = 1 << 24
REGISTER_INITIAL = 0x1122334455667788
"""What each register holds before the first packet: every width shows another part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwxProgram:
    """A pipeline, up to its text."""

    base: Base = "forward"
    operations: tuple[tuple[str, int], ...] = ()
    """Pairs (kind, times a packet), kinds of ``KINDS_MAX``."""
    registers: int = 1024
    """Registers that accesses range over: each flow has its own. A power of two. Beyond
    ``FLOWS_MAX`` those of the flows lie evenly apart: of 2**19, each has a cache line."""
    table_entries: int = 1024
    """Entries of each table, one for each of the first flows. A power of two."""

    def __post_init__(self) -> None:
        if self.base not in get_args(Base):
            raise bad_input(
                "program", self.base, why="no such pipeline", allowed=", ".join(get_args(Base)),
                do="use one of these names",
            )  # fmt: skip
        kinds = [kind for kind, _ in self.operations]
        if len(set(kinds)) < len(kinds):
            raise bad_input(
                "operations", kinds, why="a kind is there twice", allowed="each kind once",
                do="add the two up",
            )  # fmt: skip
        for kind, times in self.operations:
            _check_operation(kind, times)
            _check_base(self.base, kind)
        _check_learners(self.times("learner"), self.times("learn"), self.times("rearm"))
        _check_power("registers", self.registers, REGISTERS_MAX)
        _check_power("table_entries", self.table_entries, TABLE_ENTRIES_MAX)

    def times(self, kind: str) -> int:
        """How often a packet gets an operation.

        >>> SwxProgram(operations=(("hash_crc32", 3),)).times("hash_crc32")
        3
        """
        return dict(self.operations).get(kind, 0)


def _check_operation(kind: str, times: int) -> None:
    if kind not in KINDS_MAX:
        raise bad_input(
            "operations", kind, why="SWX pipelines are not generated with it",
            allowed=", ".join(KINDS_MAX), do="use one of these kinds",
        )  # fmt: skip
    if not 1 <= times <= KINDS_MAX[kind]:
        raise bad_input(
            kind, times, why="a pipeline cannot do so many", allowed=f"1..{KINDS_MAX[kind]}",
            do="change it",
        )  # fmt: skip


def _check_base(base: str, kind: str) -> None:
    allowed = PARSING if base == "bare" else [
        kind for kind in (KINDS_MAX if base == "parsed" else OPERATIONS_MAX)
        if kind == "recirculate" or kind not in PARSING
    ]  # fmt: skip
    if kind not in allowed:
        raise bad_input(
            "operations", kind, why=f"pipelines of program {base} are not generated with it",
            allowed=", ".join(allowed), do="use one of these, or program bare or parsed",
        )  # fmt: skip


def _check_learners(learners: int, learns: int, rearms: int) -> None:
    """Refuse what no learner is left for: each learns with every packet, or finds and rearms."""
    if learns + rearms > learners:
        raise bad_input(
            "learner", learners,
            why=f"{learns} are to learn with every packet, and {rearms} others to rearm",
            allowed=f"at least {learns + rearms}, one for each learn and each rearm",
            do="ask for more of learner, or fewer of learn and rearm",
        )  # fmt: skip


def _check_power(field: str, got: int, most: int) -> None:
    if not 1 <= got <= most or got & (got - 1):
        raise bad_input(
            field, got, why="flows differ in bits of a number",
            allowed=f"powers of two in 1..{most}", do="round it",
        )  # fmt: skip
