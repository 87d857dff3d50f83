"""Read a .spec file, strictly: what it says goes into C code that then runs with our rights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.spec.checks.references import check_spec
from linerate.measure.datapaths.swx.spec.lines import (
    Line,
    body_of,
    canonical_number,
    lines_of,
    name_of,
    number_in,
)
from linerate.measure.datapaths.swx.spec.spec import (
    Action,
    Instruction,
    Registers,
    Selector,
    Spec,
    Table,
)
from linerate.measure.datapaths.swx.spec.table import parse_selector, parse_table
from linerate.measure.datapaths.swx.spec.text_file import read_text

SPEC_BYTES_MAX = 4 << 20
"""As ``swx/native/compile/main.c``; DPDK generates about ten times as much C code."""
_T = TypeVar("_T")
_FIELD = re.compile(r"(bit|varbit)<(\d{1,5})>")
BLOCKS = frozenset({"struct", "action", "table", "selector", "learner", "apply"})
"""Statements that go on to a closing brace."""


def read_spec(path: Path) -> Spec:
    """Read a file, refused unless it is whole and DPDK 22.11 would take it.

    Raises
    ------
    BadInputError
        It is not there, too large, or not a pipeline; with the line where there is one.
    """
    return parse_spec(read_text(path, "spec", SPEC_BYTES_MAX), path.name)


def parse_spec(text: str, source: str = "spec") -> Spec:
    """Parse a text; errors name ``source`` and the line."""
    lines = lines_of(text, source)
    parser = _Parser()
    for line in lines:
        keyword = line.words[0]
        body = body_of(line, lines) if keyword in BLOCKS else []
        parser.take(line, body)
    spec = parser.spec(source)
    check_spec(spec)
    return spec


class _Parser:
    """Takes statement after statement."""

    def __init__(self) -> None:
        self.structs: dict[str, dict[str, int]] = {}
        self.headers: dict[str, str] = {}
        self.metadata: list[str] = []
        self.actions: dict[str, Action] = {}
        self.tables: dict[str, Table] = {}
        self.varbits: dict[str, None] = {}
        self.selectors: dict[str, Selector] = {}
        self.registers: dict[str, Registers] = {}
        self.meters: dict[str, int] = {}
        self.apply: list[tuple[Instruction, ...]] = []

    def take(self, line: Line, body: list[Line]) -> None:
        if line.words[0] in BLOCKS:
            self._take_block(line, body)
        else:
            self._take_line(line)

    def _take_block(self, line: Line, body: list[Line]) -> None:
        match line.words:
            case ("struct", name, "{"):
                _add(self.structs, line, name, _fields(body))
                if body and body[-1].words[0].startswith("varbit"):
                    self.varbits[name] = None
            case ("action", name, "args", "none", "{"):
                _add(self.actions, line, name, Action(args="", instructions=_code(body)))
            case ("action", name, "args", "instanceof", struct, "{"):
                _add(self.actions, line, name, Action(args=struct, instructions=_code(body)))
            case ("table" | "learner" as kind, name, "{"):
                _add(self.tables, line, name, parse_table(line, body, learns=kind == "learner"))
            case ("selector", name, "{"):
                _add(self.selectors, line, name, parse_selector(line, body))
            case ("apply", "{"):
                self.apply.append(_code(body))
            case _:
                raise line.refuse("the block has another head", "as pipelines of DPDK write it")

    def _take_line(self, line: Line) -> None:
        match line.words:
            case ("header", name, "instanceof", struct):
                _add(self.headers, line, name, struct)
            case ("metadata", "instanceof", struct):
                self.metadata.append(struct)
            case ("regarray", name, "size", size, "initval", initial):
                registers = Registers(
                    size=number_in(line, size, 32), initial=number_in(line, initial, 64)
                )
                _add(self.registers, line, name, registers)
            case ("metarray", name, "size", size):
                _add(self.meters, line, name, number_in(line, size, 32))
            case _:
                raise line.refuse(
                    "it is not a statement that a pipeline can have here",
                    "struct, header, metadata, action, table, selector, learner, regarray, "
                    "metarray, apply; no externs, for swx_run has none",
                )

    def spec(self, source: str) -> Spec:
        for name, found in (("metadata", self.metadata), ("apply", self.apply)):
            if len(found) != 1:
                raise bad_input(
                    source, f"{len(found)} {name} statements", why="a pipeline has one",
                    allowed="1", do="correct it",
                )  # fmt: skip
        return Spec(
            source=source, structs=self.structs, headers=self.headers, metadata=self.metadata[0],
            actions=self.actions, tables=self.tables, selectors=self.selectors,
            registers=self.registers, meters=self.meters, apply=self.apply[0],
            varbits=frozenset(self.varbits),
        )  # fmt: skip


def _add(into: dict[str, _T], line: Line, name: str, value: _T) -> None:
    name_of(line, name)
    if name in into:
        raise line.refuse(f"{name} is there already", "each name once", "rename one")
    into[name] = value


def _fields(body: list[Line]) -> dict[str, int]:
    fields: dict[str, int] = {}
    for line in body:
        found = _FIELD.fullmatch(line.words[0])
        if len(line.words) != 2 or not found or (found[1] == "varbit" and line is not body[-1]):
            raise line.refuse("it is not a field", "bit<WIDTH> NAME; varbit<WIDTH> last")
        width = number_in(line, found[2], 32)
        if not width or width % 8:
            raise line.refuse("the width is not of whole bytes", "8, 16, 24, ...")
        _add(fields, line, line.words[1], width)
    return fields


def _code(body: list[Line]) -> tuple[Instruction, ...]:
    code = []
    for line in body:
        label, words = "", line.words
        if words[1:2] == (":",):
            label, words = name_of(line, words[0]), words[2:]
        if not words:
            raise line.refuse("the label stands alone", "LABEL : INSTRUCTION")
        operands = tuple(map(canonical_number, words[1:]))
        code.append(Instruction(line=line.number, name=words[0], operands=operands, label=label))
    return tuple(code)
