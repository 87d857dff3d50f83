"""Values and memory of a program whose instructions are followed: what is not known is None."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

POINTER_BYTES = 8
REGION_BYTES_MAX = 1 << 16
"""Of a region: what lies behind is not known."""


class Pointer(NamedTuple):
    """An address: a place in a region of memory."""

    region: str
    offset: int | None
    """None where the place is not known."""


class Table(NamedTuple):
    """The address of a map."""

    name: str


class Code(NamedTuple):
    """The address of a function: its section, and byte within it."""

    section: int
    byte: int


class Drawn(NamedTuple):
    """A number that chance draws, each below a limit as likely."""

    below: int


Value = int | Pointer | Table | Code | Drawn | None
"""A register: a number of 64 bits without sign, an address, a draw, or None where it is not
known."""


def moved(value: Value, by: int) -> Value:
    """Take the place so many bytes from an address."""
    if not isinstance(value, Pointer) or value.offset is None:
        return value if isinstance(value, Pointer) else None
    return Pointer(value.region, value.offset + by)


@dataclass(slots=True)
class Region:
    """Some bytes, each known or not, and the addresses that were put there."""

    data: bytearray
    known: bytearray
    """1 for each byte that is."""
    addresses: dict[int, Value] = field(default_factory=dict)
    """By the byte at which an address of 8 bytes lies."""

    @classmethod
    def of(cls, content: bytes) -> Region:
        """Build one whose bytes are all known."""
        content = content[:REGION_BYTES_MAX]
        return cls(bytearray(content), bytearray(b"\1") * len(content))

    @classmethod
    def unknown(cls, size: int) -> Region:
        """Build one of which nothing is known."""
        size = min(size, REGION_BYTES_MAX)
        return cls(bytearray(size), bytearray(size))

    def copy(self) -> Region:
        """Copy it, for a path of its own."""
        return Region(bytearray(self.data), bytearray(self.known), dict(self.addresses))

    def read(self, offset: int | None, size: int) -> Value:
        """Read a number or an address; None where that is not known, or lies outside."""
        if offset is None or offset < 0 or offset + size > len(self.data):
            return None
        if size == POINTER_BYTES and offset in self.addresses:
            return self.addresses[offset]
        if 0 in self.known[offset : offset + size]:
            return None
        return int.from_bytes(self.data[offset : offset + size], "little")

    def bytes_at(self, offset: int | None, size: int) -> bytes | None:
        """Take some bytes; None where they are not all known."""
        if offset is None or offset < 0 or offset + size > len(self.data):
            return None
        if 0 in self.known[offset : offset + size]:
            return None
        return bytes(self.data[offset : offset + size])

    def write(self, offset: int | None, size: int, value: Value) -> None:
        """Write a number or an address; at a place that is not known all is forgotten."""
        if offset is None:
            self.known = bytearray(len(self.data))
            self.addresses.clear()
            return
        if offset < 0 or offset + size > len(self.data):
            return
        if self.addresses:
            for at in [at for at in self.addresses if at - size < offset < at + POINTER_BYTES]:
                self._forget(at)
        if isinstance(value, int):
            low = value & ((1 << 8 * size) - 1)
            self.data[offset : offset + size] = low.to_bytes(size, "little")
            self.known[offset : offset + size] = b"\1" * size
            return
        self.known[offset : offset + size] = bytes(size)
        if value is not None and size == POINTER_BYTES:
            self.addresses[offset] = value

    def _forget(self, at: int) -> None:
        del self.addresses[at]
