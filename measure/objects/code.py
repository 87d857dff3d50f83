"""A program's instructions as compiled: the helpers that it calls, on which tables and lines."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from linerate.errors import bad_input
from linerate.measure.objects.elf import COMPILE, FIELD, OBJECT_BYTES_MAX, Section, read_sections
from linerate.measure.objects.helpers import HELPERS
from linerate.measure.objects.input_file import read_bytes
from linerate.measure.objects.line_info import SourceLine, source_lines
from linerate.measure.objects.listing import ObjectListing
from linerate.program_code import HelperCall, ProgramCode

_SYMBOL, _RELOCATION = struct.Struct("<IBBHQQ"), struct.Struct("<QQ")
_INSTRUCTION = struct.Struct("<BBhi")
_FUNCTION, _SECTION_SYMBOL = 2, 3
_CALL, _EXIT, _LOAD_WIDE, _MOVE = 0x85, 0x95, 0x18, 0xBF
_JUMPS, _LOADS_OR_ALU = (0x05, 0x06), (0x00, 0x01, 0x04, 0x07)
"""Classes of instructions."""
_ALWAYS = (0x05, 0x95)
"""A jump without condition, and the exit: neither goes on to what follows."""
_ON_TABLES = ("map_", "for_each_map_elem", "redirect_map", "ringbuf_reserve", "ringbuf_output")
"""Beginnings of the names of helpers whose first argument is a table."""
_TO_FUNCTION = 1
"""Source register of a call that stays in the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Symbol:
    name: str
    kind: int
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instruction:
    code: int
    target: int
    """Register that it writes."""
    source: int
    offset: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    """The tables of a file."""

    data: bytes
    sections: tuple[Section, ...]
    symbols: tuple[_Symbol, ...]
    functions: dict[tuple[int, int], _Symbol]
    """By section, and byte within it."""

    def relocations(self, section: int) -> dict[int, _Symbol]:
        """Symbols that the instructions of a section name, by their byte."""
        wanted = f".rel{self.sections[section].name}"
        return {
            at: self.symbols[info >> 32]
            for one in self.sections if one.name == wanted
            for at, info in _RELOCATION.iter_unpack(_whole(self.data, one, _RELOCATION.size))
            if info >> 32 < len(self.symbols)
        }  # fmt: skip

    def function(self, section: int, at: int) -> _Symbol | None:
        """Find the function that begins there."""
        return self.functions.get((section, at))


def read_code(path: Path, program: str, listing: ObjectListing) -> ProgramCode:
    """Read what a program's instructions call, without loading anything; no rights are needed.

    Raises
    ------
    BadInputError
        The file is no BPF object, or its symbols do not have the program.
    """
    sections = read_sections(path)
    data = read_bytes(path, FIELD, OBJECT_BYTES_MAX)
    symbols = tuple(_symbols(data, sections))
    functions = {(one.section, one.value): one for one in symbols if one.kind == _FUNCTION}
    found = _Object(data=data, sections=sections, symbols=symbols, functions=functions)
    entry = next((one for one in found.symbols
                  if (one.kind, one.name) == (_FUNCTION, program)), None)  # fmt: skip
    if entry is None or entry.section >= len(sections):
        raise bad_input(FIELD, path, why=f"its symbols do not name {program}",
                        allowed="an object with its symbols", do=COMPILE)  # fmt: skip
    reached = _reached(found, entry)
    lines = source_lines(data, sections)
    calls = [
        call for function, repeated in reached
        for call in _calls(found, function, listing, lines, repeated)
    ]  # fmt: skip
    codes = [_instructions(found, function) for function, _ in reached]
    return ProgramCode(
        program=program, calls=tuple(calls), instructions=sum(map(len, codes)),
        loops=sum(len(_loops(code)) for code in codes) + sum(again for _, again in reached),
    )  # fmt: skip


def _symbols(data: bytes, sections: tuple[Section, ...]) -> Iterator[_Symbol]:
    named = {one.name: one for one in sections}
    if ".symtab" not in named or ".strtab" not in named:
        return
    names = _whole(data, named[".strtab"], 1)
    for name, info, _, section, value, size in _SYMBOL.iter_unpack(
        _whole(data, named[".symtab"], _SYMBOL.size)
    ):
        text = names[name:].partition(b"\0")[0][:256].decode("ascii", "replace")
        yield _Symbol(name=text, kind=info & 0xF, section=section, value=value, size=size)


def _whole(data: bytes, section: Section, entry_bytes: int) -> bytes:
    length = section.section_bytes // entry_bytes * entry_bytes
    return data[section.offset : section.offset + length]


def _instructions(found: _Object, function: _Symbol) -> list[_Instruction]:
    section = found.sections[function.section]
    code = _whole(found.data, section, _INSTRUCTION.size)[function.value :][: function.size]
    usable = code[: len(code) // _INSTRUCTION.size * _INSTRUCTION.size]
    return [
        _Instruction(code=code, target=registers & 0xF, source=registers >> 4, offset=offset,
                     number=number)
        for code, registers, offset, number in _INSTRUCTION.iter_unpack(usable)
    ]  # fmt: skip


def _reached(found: _Object, entry: _Symbol) -> list[tuple[_Symbol, bool]]:
    """List the functions that are reached, each once, and whether a helper repeats it."""
    reached: dict[_Symbol, bool] = {entry: False}
    waiting = [entry]
    while waiting:
        function = waiting.pop()
        for callee, repeated in _callees(found, function):
            if callee not in reached:
                waiting.append(callee)
            reached[callee] = reached.get(callee, False) or repeated or reached[function]
    return list(reached.items())


def _callees(found: _Object, function: _Symbol) -> Iterator[tuple[_Symbol, bool]]:
    named = found.relocations(function.section)
    for place, one in enumerate(_instructions(found, function)):
        byte = function.value + place * _INSTRUCTION.size
        symbol = named.get(byte)
        is_call = one.code == _CALL and one.source == _TO_FUNCTION
        if not is_call and not (one.code == _LOAD_WIDE and symbol):
            continue
        if symbol is None:
            callee = found.function(function.section, byte + (one.number + 1) * _INSTRUCTION.size)
        elif symbol.kind == _SECTION_SYMBOL:
            at = (one.number + 1) * _INSTRUCTION.size if is_call else one.number
            callee = found.function(symbol.section, at)
        else:
            callee = symbol if symbol.kind == _FUNCTION else None
        if callee is not None and callee.section < len(found.sections):
            yield callee, not is_call


def _loops(code: list[_Instruction]) -> list[set[int]]:
    """Places of each loop: instructions that can each come after the other again."""
    steps = [
        (place, to)
        for place, one in enumerate(code) for to in _followers(one, place) if to < len(code)
    ]  # fmt: skip
    rows, columns = zip(*steps, strict=True) if steps else ((), ())
    graph = coo_array((np.ones(len(steps)), (rows, columns)), shape=(len(code), len(code)))
    _, parts = connected_components(graph, connection="strong")
    again = [part for part, count in Counter(parts.tolist()).items() if count > 1]
    return [set(np.flatnonzero(parts == part).tolist()) for part in again]


def _followers(one: _Instruction, place: int) -> Iterator[int]:
    if one.code not in _ALWAYS:
        yield place + 1
    if one.code & 7 in _JUMPS and one.code not in (_CALL, _EXIT):
        yield max(place + one.offset + 1, 0)


def _calls(
    found: _Object, function: _Symbol, listing: ObjectListing,
    lines: dict[tuple[str, int], SourceLine], repeated: bool,
) -> Iterator[HelperCall]:  # fmt: skip
    code, named = _instructions(found, function), found.relocations(function.section)
    loops = _loops(code)
    section = found.sections[function.section].name
    for place, one in enumerate(code):
        if one.code != _CALL or one.source:
            continue
        byte = function.value + place * _INSTRUCTION.size
        load = _load_of_first(code, place)
        symbol = named.get(function.value + load * _INSTRUCTION.size) if load >= 0 else None
        helper = HELPERS.get(one.number, f"helper {one.number}")
        on_table = helper.startswith(_ON_TABLES)
        table = listing.map_named(symbol.name) if symbol is not None and on_table else None
        line = lines.get((section, byte), SourceLine(line=0, text=""))
        yield HelperCall(
            helper=helper, map_name=table.name if table else "",
            map_type=table.type if table else "",
            entries_max=table.entries_max if table else 0, line=line.line, text=line.text,
            in_loop=repeated or any(place in loop for loop in loops),
        )  # fmt: skip


def _load_of_first(code: list[_Instruction], call: int) -> int:
    """Place of the instruction that loads a call's first argument; -1 where it is not seen."""
    register = 1
    for place in range(call - 1, -1, -1):
        one = code[place]
        if one.code & 7 not in _LOADS_OR_ALU or one.target != register:
            continue
        if one.code == _MOVE:
            register = one.source
        elif one.code == _LOAD_WIDE:
            return place
        elif one.code:  # 0 is the second half of a wide load
            return -1
    return -1
