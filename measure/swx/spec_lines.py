"""The lines of a .spec file, cut into words as DPDK cuts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from linerate.errors import BadInputError, bad_input

TOKEN_CHARS_MAX = 63
"""DPDK's names, ``RTE_SWX_NAME_SIZE`` with the closing zero."""
LINE_CHARS_MAX = 2046
_WORD = re.compile(r"[A-Za-z0-9_.:<>{}@/]+")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|0|[1-9][0-9]{0,19}")


def number_of(word: str) -> int | None:
    """Read a number as C and Python both do, None where it is none.

    >>> number_of("0x10"), number_of("010"), number_of("1_0")
    (16, None, None)
    """
    return int(word, 0) if _NUMBER.fullmatch(word) and int(word, 0) < 1 << 64 else None


@dataclass(frozen=True, slots=True)
class Line:
    """A line that says something."""

    source: str
    number: int
    words: tuple[str, ...]

    def refuse(self, why: str, allowed: str, do: str = "correct it") -> BadInputError:
        """Build the error of a line."""
        got = " ".join(self.words)[:80]
        return bad_input(f"{self.source}:{self.number}", got, why=why, allowed=allowed, do=do)


def lines_of(text: str, source: str) -> Iterator[Line]:
    """Leave out comments and empty lines.

    >>> [line.words for line in lines_of("apply { // all of it", "spec")]
    [('apply', '{')]
    """
    for number, raw in enumerate(text.split("\n"), 1):
        words = tuple(re.split(r"(?:^|(?<=\s))(?:#|;|//).*", raw, maxsplit=1)[0].split())
        line = Line(source, number, words)
        if len(raw) > LINE_CHARS_MAX or any(len(word) > TOKEN_CHARS_MAX for word in words):
            raise line.refuse("DPDK cuts it", f"words of {TOKEN_CHARS_MAX} characters, lines of "
                              f"{LINE_CHARS_MAX}")  # fmt: skip
        for word in words:
            if not _WORD.fullmatch(word):
                raise line.refuse(
                    f"{word!a} holds a character without meaning",
                    "letters, digits and _ . : < > { } @",
                )
        if words:
            yield line


def body_of(opening: Line, lines: Iterator[Line]) -> list[Line]:
    """Take the lines of a block without its braces; blocks within it keep theirs."""
    if opening.words[-1] != "{":
        raise opening.refuse("a block is not opened", "{ at the end of the line")
    body: list[Line] = []
    depth = 1
    for line in lines:
        depth += (line.words[-1] == "{") - (line.words == ("}",))
        if not depth:
            return body
        body.append(line)
    raise opening.refuse("the block is never closed", "} on a line of its own", "close it")
