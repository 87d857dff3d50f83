"""Which instructions wait for a write before them.

DPDK reads and writes every field as 8 bytes. A read of 8 bytes of which only a part was just
written waits until the write has left the core's store buffer: several ns, many times what the
instruction itself takes. Pipelines have this wherever fields that adjoin are written in turn.

References
----------
Store forwarding: Intel 64 and IA-32 Architectures Optimization Reference Manual, sec. 3.6.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from linerate.measure.datapaths.swx.spec.following.layout import Layout
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

WORD_BYTES = 8
REMEMBERED = 12
"""Instructions after which a write has left; a lookup takes longer than these."""
CHANGED = ("add", "sub", "and", "or", "xor", "shl", "shr")
LOOKS_UP = ("table", "learn", "hash", "meter")


class Span(NamedTuple):
    """Bytes of a memory."""

    memory: str
    """``m``, ``packet``, or a header with a memory of its own."""
    first: int
    last: int
    """The one behind."""

    def overlaps(self, other: Span) -> bool:
        """Whether both have a byte."""
        return self.memory == other.memory and self.first < other.last and other.first < self.last

    def holds(self, other: Span) -> bool:
        """Whether all bytes of the other are there."""
        return self.memory == other.memory and self.first <= other.first and other.last <= self.last


class Written(NamedTuple):
    """What was written shortly before, the last first: pairs of how long ago and where."""

    spans: tuple[tuple[int, Span], ...] = ()

    def waits(self, reads: Iterator[Span]) -> bool:
        """Whether a read waits.

        >>> seen = Written().after(Span("m", 0, 8))
        >>> [seen.waits(iter([Span("m", first, first + 8)])) for first in (0, 4, 8)]
        [False, True, False]
        """
        return any(self._waits(read) for read in reads)

    def _waits(self, read: Span) -> bool:
        last = next((span for _, span in self.spans if span.overlaps(read)), None)
        return last is not None and not last.holds(read)

    def after(self, span: Span | None) -> Written:
        """Go one instruction on, which may write."""
        kept = tuple((age + 1, each) for age, each in self.spans if age + 1 < REMEMBERED)
        return Written(((0, span), *kept) if span else kept)


def reads(spec: Spec, each: Instruction, layout: Layout) -> Iterator[Span]:
    """Where an instruction reads what the next ones wait for."""
    match each.name, each.operands:
        case "mov", (to, source):
            if "." in source:
                yield from _words(spec, layout, source)
                if (spec.bits(to) or 0) < 8 * WORD_BYTES:
                    yield from _words(spec, layout, to)
        case name, (to, source) if name in CHANGED:
            yield from _words(spec, layout, to)
            yield from _words(spec, layout, source)
        case "hash", (_, _, first, last):
            yield from _key(spec, layout, [first, last])
        case "table", (name,):
            fields = spec.selectors[name].fields if name in spec.selectors else [
                field for field, _ in spec.tables[name].key]  # fmt: skip
            if fields:
                yield from _key(spec, layout, fields)


def writes(spec: Spec, each: Instruction, layout: Layout) -> Span | None:
    """Where an instruction writes; None where nothing that is read soon is written, or at once."""
    is_number = each.name == "mov" and "." not in each.operands[1]
    if each.name not in ("mov", *CHANGED, "regrd") or is_number:
        return None
    return next(_words(spec, layout, each.operands[0]), None)


def _words(spec: Spec, layout: Layout, field: str) -> Iterator[Span]:
    """Eight bytes from where a field begins; numbers and arguments have no place there."""
    offset = spec.offset_bits(field)
    if offset is None:
        return
    memory, base = "m", 0
    if field.startswith("h."):
        header = field.rpartition(".")[0]
        memory, base = ("packet", layout.places[header]) if header in layout.places else (header, 0)
    start = base + offset // 8
    yield Span(memory, start, start + WORD_BYTES)


def _key(spec: Spec, layout: Layout, fields: list[str] | tuple[str, ...]) -> Iterator[Span]:
    """Eight bytes after the other, from the first of some fields to the last."""
    spans = [(span, -(-(spec.bits(field) or 0) // 8)) for field in fields
             for span in _words(spec, layout, field)]  # fmt: skip
    if spans:
        memory = spans[0][0].memory
        first = min(span.first for span, _ in spans)
        last = max(span.first + size for span, size in spans)
        for start in range(first, last, WORD_BYTES):
            yield Span(memory, start, start + WORD_BYTES)
