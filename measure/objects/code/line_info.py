"""Lines of the source that instructions come from, as BTF.ext of an object has them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from linerate.measure.objects.code.elf import Section

TEXT_MAX = 100
"""Characters of a line that are kept."""
PATH_MAX = 4096
"""Characters of the path of a file, of which only the name is kept."""
_MAGIC = 0xEB9F
_HEADER = struct.Struct("<HBBI")
_WORDS = struct.Struct("<IIII")
_RECORD = struct.Struct("<IIII")
_COLUMN_BITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the source."""

    line: int
    """Counted from 1."""
    text: str
    file: str
    """Name of the file, without its folder."""


def source_lines(data: bytes, sections: tuple[Section, ...]) -> dict[tuple[str, int], SourceLine]:
    """Find the line of each instruction that begins one, or continues another.

    Returns
    -------
    By section and byte within it; empty where the object has no such lines, or they are damaged.

    References
    ----------
    Kernel documentation, *BPF Type Format*, sec. 4.2.
    """
    named = {one.name: data[one.offset : one.offset + one.section_bytes] for one in sections}
    sizes = {one.name: one.section_bytes for one in sections}
    try:
        found = dict(_records(named.get(".BTF.ext", b""), _strings(named.get(".BTF", b""))))
    except struct.error:
        return {}
    return {
        (name, byte): line for name in {name for name, _ in found}
        for byte, line in _spread(found, name, sizes.get(name, 0))
    }  # fmt: skip


def _spread(
    found: dict[tuple[str, int], SourceLine], name: str, section_bytes: int
) -> Iterator[tuple[int, SourceLine]]:
    """Give instructions without a line of their own that of the one before."""
    current = None
    for byte in range(0, section_bytes, 8):
        current = found.get((name, byte), current)
        if current is not None:
            yield byte, current


def _strings(btf: bytes) -> bytes:
    magic, _, _, header_bytes = _HEADER.unpack_from(btf)
    if magic != _MAGIC:
        return b""
    *_, at, length = _WORDS.unpack_from(btf, _HEADER.size)
    return btf[header_bytes + at :][:length]


def _records(extended: bytes, strings: bytes) -> Iterator[tuple[tuple[str, int], SourceLine]]:
    magic, _, _, header_bytes = _HEADER.unpack_from(extended)
    *_, at, length = _WORDS.unpack_from(extended, _HEADER.size)
    if magic != _MAGIC or not length:
        return
    info = extended[header_bytes + at :][:length]
    (record_bytes,) = struct.unpack_from("<I", info)
    place = 4
    while place < len(info) and record_bytes >= _RECORD.size:
        name, count = struct.unpack_from("<II", info, place)
        place += 8
        for _ in range(min(count, len(info) // record_bytes)):
            byte, file, text, line = _RECORD.unpack_from(info, place)
            place += record_bytes
            yield ((_text(strings, name), byte),
                   SourceLine(line=line >> _COLUMN_BITS, text=_text(strings, text),
                              file=_text(strings, file, PATH_MAX).rpartition("/")[2]))  # fmt: skip


def _text(strings: bytes, at: int, longest: int = TEXT_MAX) -> str:
    raw = strings[at : at + 4 * longest].partition(b"\0")[0].decode("utf-8", "replace")
    text = "".join(letter if letter.isprintable() else " " for letter in raw).strip()
    return text[:longest]
