"""What packets take in a program, place by place: instructions, calls, and turns of loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["instruction", "packet", "call", "longer", "turn"]
"""A plain instruction; one that reads or writes the packet; a call of the kernel; an instruction
that takes longer than others, or a call of a function of the program; a loop that begins again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLine:
    """A line of the source."""

    line: int = 0
    """Counted from 1; 0 where the object does not say."""
    text: str = ""
    file: str = ""
    """Name of the file, without its folder."""

    def __str__(self) -> str:
        """Name it; of headers, which several programs share, with the file."""
        if not self.line:
            return "no line"
        return f"{self.file} line {self.line}" if self.file.endswith(".h") else f"line {self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPlace:
    """A loop, or a call of a helper that repeats a function."""

    function: str
    place: int
    """Of the instruction where it begins, counted from 0 in its function."""
    line: CodeLine
    outer: LoopPlace | None = None
    """The loop around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Something that packets take in one line."""

    kind: Kind
    name: str = ""
    """Of the helper, as ``CallCount`` has it, or of the longer instruction, as ``PathCount``."""
    on: str = ""
    """The map, or the function of the program that is called."""
    missed: bool = False
    """Whether the call found nothing."""
    line: CodeLine
    loop: LoopPlace | None
    """The innermost around it; of a turn, its own."""
    times: float
    """For a packet, mean over the traffic."""
