"""The lines of a .spec file, cut into words as DPDK cuts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from linerate.errors import BadInputError, bad_input
from linerate.measure.datapaths.swx.spec.text_file import checked_text

WORD_CHARS_MAX = 63
"""DPDK's names, ``RTE_SWX_NAME_SIZE`` with the closing zero."""
WORDS_MAX = 255
"""Of a line; DPDK's ``MAX_TOKENS`` is one more."""
_WORD = re.compile(r"[A-Za-z0-9_.:<>{}@/]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|0[0-7]{0,22}|[1-9][0-9]{0,19}")


def number_of(word: str) -> int | None:
    """Read a number as C does, None where it is none, or has more than 64 bits.

    >>> number_of("0x10"), number_of("010"), number_of("08"), number_of("1_0")
    (16, 8, None, None)
    """
    if not _NUMBER.fullmatch(word):
        return None
    number = int(word, 8 if word.isdecimal() and word[0] == "0" else 0)
    return number if number < 1 << 64 else None


def canonical_number(word: str) -> str:
    """Write a number as we write it; other words as they are.

    >>> canonical_number("0X0800"), canonical_number("m.port")
    ('0x800', 'm.port')
    """
    number = number_of(word)
    if number is None:
        return word
    return hex(number) if word[:2] in ("0x", "0X") else str(number)


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

    A comment begins where DPDK begins one: at a word that begins with ``#``, ``;`` or ``//``.

    Raises
    ------
    BadInputError
        A byte, a line or a word that DPDK would read in another way.

    >>> [line.words for line in lines_of("apply { // all of it", "spec")]
    [('apply', '{')]
    """
    checked_text(text.encode("utf-8", "surrogatepass"), source)
    for number, raw in enumerate(text.split("\n"), 1):
        words = tuple(re.split(r"(?:^|(?<=\s))(?:#|;|//).*", raw, maxsplit=1)[0].split())
        line = Line(source, number, words)
        if len(words) > WORDS_MAX or any(len(word) > WORD_CHARS_MAX for word in words):
            raise line.refuse("DPDK cuts it", f"{WORDS_MAX} words of {WORD_CHARS_MAX} characters")
        for word in words:
            if not _WORD.fullmatch(word):
                raise line.refuse(
                    f"{word!a} holds a character without meaning",
                    "letters, digits and _ . : < > { } @",
                )
        if words:
            yield line


def name_of(line: Line, word: str) -> str:
    """Take a word for a name: it goes into C code, where it must be an identifier."""
    if not _NAME.fullmatch(word):
        raise line.refuse(f"{word} is not a name", "letters, digits and _, no digit first")
    return word


def reference_of(line: Line, word: str) -> str:
    """Take a word for a name, or for a field: names with points between them."""
    for part in word.split("."):
        name_of(line, part)
    return word


def number_in(line: Line, word: str, bits: int) -> int:
    """Take a word for a number of so many bits."""
    number = number_of(word)
    if number is None or number >> bits:
        raise line.refuse(f"{word} is not a number", f"decimal or 0x..., at most {bits} bits")
    return number


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
