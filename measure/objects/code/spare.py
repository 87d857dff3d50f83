"""Functions of the kernel that only programs need which are not loaded.

libbpf looks up all of an object's functions of the kernel before it loads any program, and refuses
the object for want of one. Those that no loaded program calls are marked as ones that may be
missing (weak), in a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from linerate.measure.objects.code.instructions import (
    CALL,
    INSTRUCTION_BYTES,
    LOAD_WIDE,
    ObjectCode,
    Symbol,
    read_object_code,
)

_TAIL_CALL = 12
_SYMBOL_BYTES, _INFO_AT = 24, 4
"""Of an entry of the symbol table, and the byte of it that holds binding and kind."""
_WEAK = 2 << 4
_NAMING = ("call ", "follow ")
"""Beginnings of lines of a plan whose last word is a program that is loaded, too."""


@contextmanager
def without_spare(path: Path, entry: str, plan: Path) -> Iterator[Path]:
    """Give an object from which a program can be loaded, whatever others of it need.

    Parameters
    ----------
    path, entry
        The object and its program.
    plan
        File of what is set and filled; programs that it names are loaded, too.

    Yields
    ------
    The object; where others need functions of the kernel that this one does not, a copy of the same
    name, which is gone afterwards. Of programs that call others by a table, which are all loaded,
    the object itself.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    found = read_object_code(path)
    found.program(path, entry)
    lines = plan.read_text().splitlines()
    named = {line.split()[-1] for line in lines if line.startswith(_NAMING)}
    spare = spare_functions(found, {entry, *named})
    if not spare:
        yield path
        return
    with TemporaryDirectory(prefix="linerate-object-") as folder:
        copy = Path(folder, path.name)
        copy.write_bytes(_weakened(found, spare))
        yield copy


def spare_functions(found: ObjectCode, programs: Iterable[str]) -> frozenset[str]:
    """Name the kernel's functions and variables that none of some programs refers to.

    Empty where one of them calls programs by a table, whichever these are.
    """
    names = set(programs)
    wanted = [one for one in found.functions.values()
              if one.name in names and one.section < len(found.sections)]  # fmt: skip
    used: set[str] = set()
    seen: set[Symbol] = set()
    while wanted:
        symbol = wanted.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        named = found.relocations(symbol.section)
        for place, one in enumerate(found.instructions(symbol)):
            if one.code == CALL and not one.source and one.number == _TAIL_CALL:
                return frozenset()
            reference = named.get(symbol.value + place * INSTRUCTION_BYTES)
            if reference is not None and not reference.section:
                used.add(reference.name)
            elif one.code in (CALL, LOAD_WIDE):
                callee = found.called(symbol, place, one, reference)
                wanted += [callee] if callee else []
    return frozenset(one.name for one in found.symbols if not one.section and one.name) - used


def _weakened(found: ObjectCode, names: frozenset[str]) -> bytes:
    table = next(one for one in found.sections if one.name == ".symtab")
    data = bytearray(found.data)
    for place, symbol in enumerate(found.symbols):
        if not symbol.section and symbol.name in names:
            data[table.offset + place * _SYMBOL_BYTES + _INFO_AT] = _WEAK | symbol.kind
    return bytes(data)
