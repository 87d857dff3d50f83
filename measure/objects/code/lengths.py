"""Whether a program may leave packets shorter or longer at their end, as its instructions show."""

from __future__ import annotations

from pathlib import Path

from linerate.measure.objects.code.instructions import CALL, Instruction, read_object_code

ADJUST_TAIL, TAIL_CALL = 65, 12
"""Helpers, of linux/bpf.h."""
SHARED = ".text"
"""Section of functions that any program of the object may call."""


def changes_tails(path: Path, program: str) -> bool:
    """Whether a program, or what it may call, moves the end of packets.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    found = read_object_code(path)
    section = found.program(path, program).section
    its_own = [
        one for symbol in found.functions.values()
        if symbol.section == section or found.sections[symbol.section].name == SHARED
        for one in found.instructions(symbol)
    ]  # fmt: skip
    if not _calls(its_own, TAIL_CALL):
        return _calls(its_own, ADJUST_TAIL)
    return any(_calls(found.instructions(symbol), ADJUST_TAIL)
               for symbol in found.functions.values())  # fmt: skip


def _calls(code: list[Instruction], helper: int) -> bool:
    return any(one.code == CALL and not one.source and one.number == helper for one in code)
