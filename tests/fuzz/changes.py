"""Files of any kind that are nearly right: changed by bit, byte, number, word, line or piece."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

NUMBERS = (b"0", b"-1", b"1", b"1.5", b"1e308", b"-1e-308", b"nan", b"inf", b"-inf", b"NaN",
           b"Infinity", b"18446744073709551616", b"9" * 400, b"0x10", b"", b"null", b"true",
           b'"x"', b"[]", b"{}")  # fmt: skip
TOKENS = (b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b",", b'"', b"'", b"[", b"{", b"=",
          b"\\u0000", b"\xed\xa0\x80", b"[" * 3000, b"#", b"..", b"/", b"-", b"%s")  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")


def changed(draw: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Change one of the seeds at one to five places."""
    data = draw.choice(seeds)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
        data = draw.choice(CHANGES)(draw, data, draw.choice(seeds))
    return data


def endless(seed: int, seeds: Sequence[bytes]) -> Iterator[bytes]:
    """Change seeds without end; the same number gives the same files."""
    draw = random.Random(seed)
    while True:
        yield changed(draw, seeds)


def _place(draw: random.Random, data: bytes) -> int:
    return draw.randrange(len(data) + 1)


def _bit(draw: random.Random, data: bytes, _: bytes) -> bytes:
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _bytes(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at, gone = _place(draw, data), draw.choice((0, 1, 4, 8))
    return data[:at] + draw.randbytes(draw.choice((0, 1, 2, 4, 8))) + data[at + gone :]


def _edge(draw: random.Random, data: bytes, _: bytes) -> bytes:
    """Put an extreme value where a length or an offset may stand."""
    at, width = _place(draw, data), draw.choice((1, 2, 4, 8))
    value = draw.choice((0, 1, (1 << 8 * width) - 1, 1 << 8 * width - 1, 0x1000))
    order = draw.choice(("little", "big"))
    return data[:at] + (value % (1 << 8 * width)).to_bytes(width, order) + data[at + width :]


def _cut(draw: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: _place(draw, data)]


def _number(draw: random.Random, data: bytes, _: bytes) -> bytes:
    return _replaced(draw, data, _NUMBER, draw.choice(NUMBERS))


def _word(draw: random.Random, data: bytes, other: bytes) -> bytes:
    words = _WORD.findall(other)
    return _replaced(draw, data, _WORD, draw.choice(words) if words else b"")


def _replaced(draw: random.Random, data: bytes, what: re.Pattern[bytes], by: bytes) -> bytes:
    found = list(what.finditer(data))
    if not found:
        return data
    one = draw.choice(found)
    return data[: one.start()] + by + data[one.end() :]


def _token(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def _line(draw: random.Random, data: bytes, other: bytes) -> bytes:
    lines, others = data.split(b"\n"), other.split(b"\n")
    at = draw.randrange(len(lines))
    more = draw.choice(([], [lines[at]] * draw.choice((1, 2, 50)), [draw.choice(others)]))
    return b"\n".join([*lines[:at], *more, *lines[at + draw.choice((0, 1)) :]])


def _piece(draw: random.Random, data: bytes, other: bytes) -> bytes:
    at, begin = _place(draw, data), _place(draw, other)
    piece = other[begin : begin + draw.choice((3, 16, 64, 256))]
    return data[:at] + piece + data[at + draw.choice((0, len(piece))) :]


CHANGES = (_bit, _bytes, _edge, _cut, _number, _number, _word, _word, _token, _line, _piece)
