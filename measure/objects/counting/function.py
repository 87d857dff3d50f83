"""A function of a program, ready to be followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from linerate.errors import LinerateError
from linerate.measure.objects.code.instructions import (
    INSTRUCTION_BYTES,
    Instruction,
    ObjectCode,
    Symbol,
)
from linerate.measure.objects.counting.graph import LoopShape, loop_places, loops_of

REGISTER_MAX = 10


class NotFollowedError(LinerateError):
    """The code does what is not understood here."""


class TooLongError(NotFollowedError):
    """More instructions than are followed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Function:
    """Its instructions, and what they name."""

    symbol: Symbol
    code: tuple[Instruction, ...]
    named: dict[int, Symbol]
    """Symbols by the place of the instruction that names them."""
    loops: tuple[frozenset[int], ...]
    """Places of each loop, those in it included."""
    headers: tuple[int, ...]
    """For each place, where the innermost loop around it begins; -1 where there is none."""
    shapes: dict[int, LoopShape]
    """Of each loop, by where it begins."""

    def is_turn(self, place: int, to: int) -> bool:
        """Whether a jump begins a loop's next turn."""
        return to <= place and any(place in loop and to in loop for loop in self.loops)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loop:
    """A loop on a path, or a call of a helper that repeats a function."""

    function: Function
    place: int
    """Where it begins, or of the call."""
    outer: Loop | None
    """Around it, also in a function that calls this one."""


class Spot(NamedTuple):
    """An instruction, and the innermost loop that it is in."""

    function: Function
    place: int
    loop: Loop | None


def function_of(found: ObjectCode, symbol: Symbol) -> Function:
    """Decode a function.

    Raises
    ------
    NotFollowedError
        It names a register that there is not.
    """
    code = tuple(found.instructions(symbol))
    if any(max(one.target, one.source) > REGISTER_MAX for one in code):
        raise NotFollowedError(f"{symbol.name} names a register above {REGISTER_MAX}")
    named = found.relocations(symbol.section)
    first, end = symbol.value, symbol.value + len(code) * INSTRUCTION_BYTES
    headers, shapes = loops_of(code)
    return Function(
        symbol=symbol, code=code, loops=loop_places(code), headers=headers, shapes=shapes,
        named={
            (at - first) // INSTRUCTION_BYTES: one for at, one in named.items() if first <= at < end
        },
    )  # fmt: skip
