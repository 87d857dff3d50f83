"""Arithmetic and comparisons of BPF on values of which some are not known.

References
----------
RFC 9669, BPF Instruction Set Architecture (2024), sec. 4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from linerate.measure.objects.counting.memory import Drawn, Pointer, Value

ADD, SUB, MUL, DIV, OR, AND, LSH, RSH, NEG, MOD, XOR, MOV, ARSH, END = range(14)
"""Operations, by the upper four bits of an instruction's code."""
_WIDE = (1 << 64) - 1
_NUMBERS: dict[int, Callable[[int, int], int]] = {
    ADD: operator.add, SUB: operator.sub, MUL: operator.mul, OR: operator.or_, AND: operator.and_,
    LSH: operator.lshift, RSH: operator.rshift, NEG: lambda left, _: -left, XOR: operator.xor,
}  # fmt: skip
COMPARISONS: dict[int, Callable[[int, int], object]] = {
    1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.and_, 5: operator.ne,
    6: operator.gt, 7: operator.ge, 10: operator.lt, 11: operator.le, 12: operator.lt,
    13: operator.le,
}  # fmt: skip
"""By the upper four bits of a jump's code."""
_SIGNED = (6, 7, 12, 13)


def signed(value: int, bits: int) -> int:
    """Read a number of so many bits as one with a sign.

    >>> signed(255, 8)
    -1
    """
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def combine(operation: int, left: Value, right: Value, bits: int, offset: int) -> Value:
    """Compute an operation of 32 or 64 bits.

    Parameters
    ----------
    operation
        One of ``ADD`` to ``ARSH``.
    left, right
        What the target holds, and the other operand.
    bits
        Width.
    offset
        Of the instruction: 1 means signed division, 8, 16 and 32 a move that extends the sign.
    """
    if operation == MOV and not offset:
        return right if bits == 64 else _cut(right, bits)
    if isinstance(left, Drawn) and isinstance(right, int):
        return _of_draw(operation, left.below, right)
    if isinstance(left, int) and isinstance(right, int):
        return _of_numbers(operation, left, right, bits, offset)
    if bits == 64:
        return _of_addresses(operation, left, right)
    return None


def _cut(value: Value, bits: int) -> Value:
    if isinstance(value, Drawn):
        return Drawn(min(value.below, 1 << bits))
    return value & ((1 << bits) - 1) if isinstance(value, int) else None


def _of_draw(operation: int, below: int, right: int) -> Value:
    """Take a rest, lower or upper bits of a draw: all other numbers of it are not known."""
    if operation == MOD and right:
        return Drawn(min(below, right))
    if operation == AND and right & (right + 1) == 0:
        return Drawn(min(below, right + 1))
    if operation == RSH:
        return Drawn(max(below >> (right & 63), 1))
    return None


def _of_addresses(operation: int, left: Value, right: Value) -> Value:
    if operation == SUB and isinstance(left, Pointer) and isinstance(right, Pointer):
        if left.region != right.region or left.offset is None or right.offset is None:
            return None
        return (left.offset - right.offset) & _WIDE
    if operation == ADD and isinstance(right, Pointer):
        left, right = right, left
    if operation not in (ADD, SUB) or not isinstance(left, Pointer) or isinstance(right, Pointer):
        return None
    if left.offset is None or not isinstance(right, int):
        return Pointer(left.region, None)
    step = signed(right, 64)
    return Pointer(left.region, left.offset + (step if operation == ADD else -step))


def _of_numbers(operation: int, left: int, right: int, bits: int, offset: int) -> int:
    mask = (1 << bits) - 1
    left, right = left & mask, right & mask
    if operation in (DIV, MOD):
        return _divided(operation, left, right, bits, offset)
    if operation == MOV:
        return signed(right, offset) & mask
    if operation == ARSH:
        return signed(left, bits) >> (right & (bits - 1)) & mask
    if operation in (LSH, RSH):
        right &= bits - 1
    return _NUMBERS[operation](left, right) & mask


def _divided(operation: int, left: int, right: int, bits: int, offset: int) -> int:
    """Divide as the kernel does: by zero it is 0, and leaves all as the rest."""
    mask = (1 << bits) - 1
    if offset:
        left, right = signed(left, bits), signed(right, bits)
    if not right:
        return left & mask if operation == MOD else 0
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return (quotient if operation == DIV else left - quotient * right) & mask


def swapped(value: Value, bits: int, to_big: bool) -> Value:
    """Change the order of the bytes of a number, or only cut it."""
    if not isinstance(value, int):
        return None
    low = (value & ((1 << bits) - 1)).to_bytes(bits // 8, "little")
    return int.from_bytes(low, "big" if to_big else "little")


def holds(operation: int, left: Value, right: Value, bits: int) -> bool | None:
    """Say whether a comparison is true; None where that is not known.

    An address is never zero, and of two addresses in one region the places are compared.
    """
    if isinstance(left, int) and isinstance(right, int):
        mask = (1 << bits) - 1
        return _compared(operation, left & mask, right & mask, bits)
    if left is None or right is None or bits != 64 or isinstance(left, Drawn):
        return None
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        if left.region != right.region or left.offset is None or right.offset is None:
            return None
        return _compared(operation, left.offset + (1 << 32), right.offset + (1 << 32), bits)
    if 0 in (left, right):
        return {1: False, 5: True}.get(operation)
    return None


def chance(operation: int, left: Value, right: Value) -> float:
    """Share of the packets for which a comparison is true that is not known: half, but of a draw.

    >>> chance(1, Drawn(64), 0), chance(1, None, 0)
    (0.015625, 0.5)
    """
    if not isinstance(left, Drawn) or not isinstance(right, int):
        return 0.5
    smaller, equal = min(right, left.below) / left.below, (right < left.below) / left.below
    shares = {1: equal, 5: 1.0 - equal, 2: 1.0 - smaller - equal, 3: 1.0 - smaller, 10: smaller,
              11: smaller + equal}  # fmt: skip
    return shares.get(operation, 0.5)


def _compared(operation: int, left: int, right: int, bits: int) -> bool:
    if operation in _SIGNED:
        left, right = signed(left, bits), signed(right, bits)
    return bool(COMPARISONS[operation](left, right))
