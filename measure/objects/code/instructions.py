"""The functions of a BPF object as instructions, and what their relocations name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.objects.code.elf import (
    COMPILE,
    FIELD,
    OBJECT_BYTES_MAX,
    Section,
    read_sections,
)
from linerate.measure.objects.input_file import read_bytes

INSTRUCTION_BYTES = 8
CALL, EXIT, LOAD_WIDE = 0x85, 0x95, 0x18
TO_FUNCTION = 1
"""Source register of a call that stays in the program."""
KERNEL_FUNCTION = 2
"""Source register of a call of a function of the kernel."""
FUNCTION, SECTION_SYMBOL = 2, 3
"""Kinds of symbols."""
_SYMBOL, _RELOCATION = struct.Struct("<IBBHQQ"), struct.Struct("<QQ")
_INSTRUCTION = struct.Struct("<BBhi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A name of the object."""

    name: str
    kind: int
    section: int
    """Place among the sections; 0 where it is the kernel's."""
    value: int
    """Byte within the section."""
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """Eight bytes of a program."""

    code: int
    target: int
    """Register that it writes."""
    source: int
    offset: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCode:
    """The code of a file."""

    data: bytes
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    functions: dict[tuple[int, int], Symbol]
    """By section, and byte within it."""

    def relocations(self, section: int) -> dict[int, Symbol]:
        """Symbols that the instructions of a section name, by their byte."""
        wanted = f".rel{self.sections[section].name}"
        return {
            at: self.symbols[info >> 32]
            for one in self.sections if one.name == wanted
            for at, info in _RELOCATION.iter_unpack(_whole(self.data, one, _RELOCATION.size))
            if info >> 32 < len(self.symbols)
        }  # fmt: skip

    def program(self, path: Path, name: str) -> Symbol:
        """Find a program.

        Raises
        ------
        BadInputError
            The symbols do not have it.
        """
        found = next(
            (one for one in self.symbols if (one.kind, one.name) == (FUNCTION, name)), None
        )
        if found is None or found.section >= len(self.sections):
            raise bad_input(FIELD, path, why=f"its symbols do not name {name}",
                            allowed="an object with its symbols", do=COMPILE)  # fmt: skip
        return found

    def instructions(self, function: Symbol) -> list[Instruction]:
        """Decode a function; a wide load takes two places."""
        section = self.sections[function.section]
        code = _whole(self.data, section, INSTRUCTION_BYTES)[function.value :][: function.size]
        usable = code[: len(code) // INSTRUCTION_BYTES * INSTRUCTION_BYTES]
        return [
            Instruction(code=code, target=registers & 0xF, source=registers >> 4, offset=offset,
                        number=number)
            for code, registers, offset, number in _INSTRUCTION.iter_unpack(usable)
        ]  # fmt: skip

    def called(
        self, function: Symbol, place: int, one: Instruction, symbol: Symbol | None
    ) -> Symbol | None:
        """Find the function that a call, or a load of its address, names; None where it is none.

        Parameters
        ----------
        function, place, one
            The instruction, and where it is.
        symbol
            What its relocation names.
        """
        is_call = one.code == CALL
        if symbol is None:
            byte = function.value + (place + 1 + one.number) * INSTRUCTION_BYTES
            found = self.functions.get((function.section, byte))
        elif symbol.kind == SECTION_SYMBOL:
            at = (one.number + 1) * INSTRUCTION_BYTES if is_call else one.number
            found = self.functions.get((symbol.section, at))
        else:
            found = symbol if symbol.kind == FUNCTION else None
        return found if found is not None and found.section < len(self.sections) else None


def read_object_code(path: Path) -> ObjectCode:
    """Read the code of an object, without loading anything; no rights are needed.

    Raises
    ------
    BadInputError
        The file is not a BPF object.
    """
    sections = read_sections(path)
    data = read_bytes(path, FIELD, OBJECT_BYTES_MAX)
    symbols = tuple(_symbols(data, sections))
    functions = {(one.section, one.value): one for one in symbols if one.kind == FUNCTION}
    return ObjectCode(data=data, sections=sections, symbols=symbols, functions=functions)


def _symbols(data: bytes, sections: tuple[Section, ...]) -> Iterator[Symbol]:
    named = {one.name: one for one in sections}
    if ".symtab" not in named or ".strtab" not in named:
        return
    names = _whole(data, named[".strtab"], 1)
    for name, info, _, section, value, size in _SYMBOL.iter_unpack(
        _whole(data, named[".symtab"], _SYMBOL.size)
    ):
        text = names[name:].partition(b"\0")[0][:256].decode("ascii", "replace")
        yield Symbol(name=text, kind=info & 0xF, section=section, value=value, size=size)


def _whole(data: bytes, section: Section, entry_bytes: int) -> bytes:
    length = section.section_bytes // entry_bytes * entry_bytes
    return data[section.offset : section.offset + length]
