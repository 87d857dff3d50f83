"""What a program asks for that its test run cannot give it, as its instructions show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linerate.measure.objects.code.instructions import CALL, Instruction, read_object_code

MOVE, MOVE_NUMBER = 0xBF, (0xB7, 0xB4)
"""Codes that copy a register, and that set one to a number, in 64 and 32 bits."""
LOAD_WORD, LOAD_LONG, STORE_LONG = 0x61, 0x79, 0x7B
WRITE_TARGET = (0x00, 0x01, 0x04, 0x07)
"""Classes of instructions that write their target."""
ARGUMENTS = {1, 2, 3, 4, 5}
"""Registers that a call takes and leaves undefined."""
CONTEXT, STACK = 1, 10
"""Registers that hold the context at the beginning, and the stack."""
REDIRECT_MAP, ITS_FLAGS = 51, 3
"""The helper, and the register of its flags."""
BROADCAST = 1 << 3
"""``BPF_F_BROADCAST`` of linux/bpf.h."""
INGRESS_IFINDEX = 36
"""Byte of ``ingress_ifindex`` in ``struct __sk_buff``."""


def copies_packets(path: Path, program: str) -> bool:
    """Whether a program redirects packets to all interfaces of a map, by a constant flag.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    code = _code(path, program)
    return any(
        one.code == CALL and not one.source and one.number == REDIRECT_MAP
        and bool(_constant(code[:place], ITS_FLAGS) & BROADCAST)
        for place, one in enumerate(code)
    )  # fmt: skip


def reads_ingress(path: Path, program: str) -> bool:
    """Whether a program at tc reads the interface that a packet came in by: 0 in a test run.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    holding, kept = {CONTEXT}, set[int]()
    for one in _code(path, program):
        if one.code == LOAD_WORD and one.offset == INGRESS_IFINDEX and one.source in holding:
            return True
        if one.code == STORE_LONG and one.target == STACK and one.source in holding:
            kept.add(one.offset)
        copied = one.code == MOVE and one.source in holding
        again = one.code == LOAD_LONG and one.source == STACK and one.offset in kept
        if copied or again:
            holding.add(one.target)
        elif one.code == CALL:
            holding -= ARGUMENTS
        elif _writes(one):
            holding.discard(one.target)
    return False


def _code(path: Path, program: str) -> Sequence[Instruction]:
    found = read_object_code(path)
    return found.instructions(found.program(path, program))


def _constant(before: Sequence[Instruction], register: int) -> int:
    """Find the number that a register was set to last; 0 where it is none."""
    last = next((one for one in reversed(before) if one.target == register and _writes(one)), None)
    return last.number if last is not None and last.code in MOVE_NUMBER else 0


def _writes(one: Instruction) -> bool:
    """Whether it writes its target; code 0 is the second half of a wide load."""
    return one.code != 0 and one.code & 7 in WRITE_TARGET
