"""A program's instructions as compiled: the helpers that it calls, on which tables and lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linerate.measure.objects.code.helpers import HELPERS
from linerate.measure.objects.code.instructions import (
    CALL,
    INSTRUCTION_BYTES,
    KERNEL_FUNCTION,
    LOAD_WIDE,
    TO_FUNCTION,
    Instruction,
    ObjectCode,
    Symbol,
    read_object_code,
)
from linerate.measure.objects.code.line_info import SourceLine, source_lines
from linerate.measure.objects.counting.graph import loop_places
from linerate.measure.objects.listing import ObjectListing
from linerate.programs.code import HelperCall, ProgramCode

_MOVE = 0xBF
_JUMPS, _LOADS_OR_ALU = (0x05, 0x06), (0x00, 0x01, 0x04, 0x07)
"""Classes of instructions."""
_ALWAYS = (0x05, 0x95)
"""A jump without condition, and the exit: neither goes on to what follows."""
_ON_TABLES = ("map_", "for_each_map_elem", "redirect_map", "ringbuf_reserve", "ringbuf_output")
"""Beginnings of the names of helpers whose first argument is a table."""


def read_code(path: Path, program: str, listing: ObjectListing) -> ProgramCode:
    """Read what a program's instructions call, without loading anything; no rights are needed.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    found = read_object_code(path)
    entry = found.program(path, program)
    reached = _reached(found, entry)
    lines = source_lines(found.data, found.sections)
    calls = [
        call for function, repeated in reached
        for call in _calls(found, function, listing, lines, repeated)
    ]  # fmt: skip
    codes = [found.instructions(function) for function, _ in reached]
    return ProgramCode(
        program=program, calls=tuple(calls), instructions=sum(map(len, codes)),
        loops=sum(len(loop_places(code)) for code in codes) + sum(again for _, again in reached),
    )  # fmt: skip


def _reached(found: ObjectCode, entry: Symbol) -> list[tuple[Symbol, bool]]:
    """List the functions that are reached, each once, and whether a helper repeats it."""
    reached: dict[Symbol, bool] = {entry: False}
    waiting = [entry]
    while waiting:
        function = waiting.pop()
        for callee, repeated in _callees(found, function):
            if callee not in reached:
                waiting.append(callee)
            reached[callee] = reached.get(callee, False) or repeated or reached[function]
    return list(reached.items())


def _callees(found: ObjectCode, function: Symbol) -> Iterator[tuple[Symbol, bool]]:
    named = found.relocations(function.section)
    for place, one in enumerate(found.instructions(function)):
        symbol = named.get(function.value + place * INSTRUCTION_BYTES)
        is_call = one.code == CALL and one.source == TO_FUNCTION
        if not is_call and not (one.code == LOAD_WIDE and symbol):
            continue
        callee = found.called(function, place, one, symbol)
        if callee is not None:
            yield callee, not is_call


def _calls(
    found: ObjectCode, function: Symbol, listing: ObjectListing,
    lines: dict[tuple[str, int], SourceLine], repeated: bool,
) -> Iterator[HelperCall]:  # fmt: skip
    code, named = found.instructions(function), found.relocations(function.section)
    loops = loop_places(code)
    section = found.sections[function.section].name
    for place, one in enumerate(code):
        byte = function.value + place * INSTRUCTION_BYTES
        of_kernel = named.get(byte)
        is_function = one.source == KERNEL_FUNCTION or (of_kernel and of_kernel.section == 0)
        if one.code != CALL or (one.source and not is_function):
            continue
        load = _load_of_first(code, place)
        symbol = named.get(function.value + load * INSTRUCTION_BYTES) if load >= 0 else None
        helper = HELPERS.get(one.number, f"helper {one.number}")
        if is_function:
            helper = f"kfunc {of_kernel.name if of_kernel else 'unnamed'}"
        on_table = helper.startswith(_ON_TABLES)
        table = listing.map_named(symbol.name) if symbol is not None and on_table else None
        line = lines.get((section, byte), SourceLine(line=0, text="", file=""))
        yield HelperCall(
            helper=helper, map_name=table.name if table else "",
            map_type=table.type if table else "",
            entries_max=table.entries_max if table else 0, line=line.line, text=line.text,
            in_loop=repeated or any(place in loop for loop in loops),
        )  # fmt: skip


def _load_of_first(code: list[Instruction], call: int) -> int:
    """Place of the instruction that loads a call's first argument; -1 where it is not seen."""
    register = 1
    for place in range(call - 1, -1, -1):
        one = code[place]
        if one.code & 7 not in _LOADS_OR_ALU or one.target != register:
            continue
        if one.code == _MOVE:
            register = one.source
        elif one.code == LOAD_WIDE:
            return place
        elif one.code:  # 0 is the second half of a wide load
            return -1
    return -1
