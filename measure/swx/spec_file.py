"""Read a .spec file, strictly: what it says goes into C code that then runs with our rights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

from linerate.errors import bad_input
from linerate.measure.swx.spec import Action, Instruction, Spec, Table
from linerate.measure.swx.spec_check import check_spec
from linerate.measure.swx.spec_lines import Line, body_of, lines_of, number_of

SPEC_BYTES_MAX = 4 << 20
"""As ``swx/native/compile/main.c``; DPDK generates about ten times as much C code."""
_T = TypeVar("_T")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELD = re.compile(r"(?:bit|varbit)<(\d{1,5})>")
BLOCKS = frozenset({"struct", "action", "table", "selector", "learner", "apply"})
"""Statements that go on to a closing brace."""


def read_spec(path: Path) -> Spec:
    """Read a file, refused unless it is whole and DPDK 22.11 would take it.

    Raises
    ------
    BadInputError
        It is not there, too large, or not a pipeline; with the line where there is one.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise bad_input(
            "spec", path, why=error.strerror or "it cannot be read", allowed="a readable file",
            do="correct the path",
        ) from error  # fmt: skip
    if len(data) > SPEC_BYTES_MAX:
        raise bad_input(
            "spec", path, why=f"it has {len(data)} bytes", allowed=f"up to {SPEC_BYTES_MAX}",
            do="shorten it",
        )  # fmt: skip
    return parse_spec(data.decode("latin-1"), path.name)


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
        self.selectors: dict[str, None] = {}
        self.registers: dict[str, int] = {}
        self.meters: dict[str, None] = {}
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
            case ("action", name, "args", "none", "{"):
                _add(self.actions, line, name, Action(args="", instructions=_code(body)))
            case ("action", name, "args", "instanceof", struct, "{"):
                _add(self.actions, line, name, Action(args=struct, instructions=_code(body)))
            case ("table" | "learner" as kind, name, "{"):
                _add(self.tables, line, name, _table(line, body, learns=kind == "learner"))
            case ("selector", name, "{"):
                _add(self.selectors, line, name, None)
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
                _number(line, initial)
                _add(self.registers, line, name, _number(line, size))
            case ("metarray", name, "size", _):
                _add(self.meters, line, name, None)
            case _:
                raise line.refuse(
                    "it is no statement that a pipeline can have here",
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
            actions=self.actions, tables=self.tables, selectors=frozenset(self.selectors),
            registers=self.registers, meters=frozenset(self.meters), apply=self.apply[0],
        )  # fmt: skip


def _add(into: dict[str, _T], line: Line, name: str, value: _T) -> None:
    if not _NAME.fullmatch(name):
        raise line.refuse(f"{name} is no name", "letters, digits and _, no digit first")
    if name in into:
        raise line.refuse(f"{name} is there already", "each name once", "rename one")
    into[name] = value


def _number(line: Line, word: str) -> int:
    number = number_of(word)
    if number is None:
        raise line.refuse(f"{word} is no number", "decimal or 0x..., at most 64 bits")
    return number


def _fields(body: list[Line]) -> dict[str, int]:
    fields: dict[str, int] = {}
    for line in body:
        found = _FIELD.fullmatch(line.words[0])
        if len(line.words) != 2 or not found:
            raise line.refuse("it is no field", "bit<WIDTH> NAME")
        if not int(found[1]) or int(found[1]) % 8:
            raise line.refuse("the width is not of whole bytes", "8, 16, 24, ...")
        _add(fields, line, line.words[1], int(found[1]))
    return fields


def _code(body: list[Line]) -> tuple[Instruction, ...]:
    code = []
    for line in body:
        label, words = "", line.words
        if words[1:2] == (":",):
            label, words = words[0], words[2:]
        if not words:
            raise line.refuse("the label stands alone", "LABEL : INSTRUCTION")
        code.append(Instruction(line=line.number, name=words[0], operands=words[1:], label=label))
    return tuple(code)


def _table(opening: Line, body: list[Line], *, learns: bool) -> Table:
    key: list[tuple[str, str]] = []
    actions: dict[str, str] = {}
    default = ""
    lines = iter(body)
    for line in lines:
        match line.words:
            case ("key", "{"):
                key += [_key_field(part, learns) for part in body_of(line, lines)]
            case ("actions", "{"):
                actions = _table_actions(body_of(line, lines))
            case ("default_action", name, "args", _, *_):
                default = name
            case ("timeout", "{"):
                body_of(line, lines)
            case (keyword, _) if keyword in ("size", "hash", "instanceof", "pragma"):
                pass
            case _:
                raise line.refuse(
                    "a table has no such statement",
                    "key, actions, default_action, size, hash, instanceof, pragma, timeout",
                )
    if not default:
        raise opening.refuse("a table needs a default action", "default_action NAME args none")
    return Table(
        line=opening.number, key=tuple(key), default_action=default, learns=learns,
        entry_actions=tuple(name for name, mark in actions.items() if mark != "@defaultonly"),
    )  # fmt: skip


def _table_actions(lines: list[Line]) -> dict[str, str]:
    """Map actions to their marks, empty for most."""
    actions: dict[str, str] = {}
    for line in lines:
        _add(actions, line, line.words[0], " ".join(line.words[1:]))
    return actions


def _key_field(line: Line, learns: bool) -> tuple[str, str]:
    if learns and len(line.words) == 1:
        return line.words[0], "exact"
    if len(line.words) == 2 and line.words[1] in ("exact", "lpm", "wildcard"):
        return line.words[0], line.words[1]
    raise line.refuse("it is no field of a key", "FIELD exact|lpm|wildcard")
