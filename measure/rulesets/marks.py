"""Marks that rules put on a packet, for later rules to look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_, xor

from linerate.measure.rulesets.elements import StrangeError

_OPERATORS = {"&": and_, "|": or_, "^": xor}
_MARKS = {"meta": {"key": "mark"}}, {"ct": {"key": "mark"}}
"""The packet's own, and its flow's, which nobody set before."""
BITS = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Mark:
    """A packet's new mark."""

    value: object
    """As libnftables-json(5) has it: a number, or operators on the mark of before."""

    @property
    def is_of_flow(self) -> bool:
        """Whether it is what the packet's flow is marked with."""
        return self.value == _MARKS[1]

    def after(self, before: int) -> int:
        """Say what the mark is then.

        >>> Mark({"|": [{"&": [{"meta": {"key": "mark"}}, 255]}, 0x4000]}).after(0x1001)
        16385

        Raises
        ------
        StrangeError
            It is made of something else.
        """
        return _value(self.value, before) & BITS


def _value(expression: object, before: int) -> int:
    if isinstance(expression, int):
        return expression
    if isinstance(expression, dict) and len(expression) == 1:
        if expression in _MARKS:
            return before if "meta" in expression else 0
        ((name, parts),) = expression.items()
        if name in _OPERATORS and isinstance(parts, list) and parts:
            return reduce(_OPERATORS[name], [_value(part, before) for part in parts])
    raise StrangeError("a mark of something else than marks and numbers")
