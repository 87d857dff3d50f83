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
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

WORD_BYTES = 8
REMEMBERED = 12
"""Instructions after which a write has left; a lookup takes longer than these."""
CHANGED = ("add", "sub", "and", "or", "xor", "shl", "shr")
CHECKSUMS = ("ckadd", "cksub")
LOOKS_UP = ("table", "learn", "meter")
MERGED = dict.fromkeys(("mov", "recircid", "regrd", *CHANGED), 0) | {"hash": 1, "meter": 4}
"""Which operand is written: 8 bytes are read, the field's own changed, and 8 bytes are written."""
INDICES = {"regprefetch": (1,), "regrd": (2,), "regwr": (1,), "regadd": (1,),
           "metprefetch": (1,), "meter": (1,)}  # fmt: skip
"""Which are read as 8 bytes wherever they are."""
SOURCES = dict.fromkeys(("mov", *CHANGED, *CHECKSUMS), (1,)) | {"regwr": (2,), "regadd": (2,)}
"""Which are read as what they have, but those of headers, whose bytes are turned round."""
NARROW_BITS = 32
"""Fields up to which a compiler reads no more than it needs."""
SHORT_BITS = 16


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


class Write(NamedTuple):
    """A write shortly before."""

    age: int
    """Instructions since."""
    span: Span
    each: Instruction
    """That wrote."""


class Written(NamedTuple):
    """What was written shortly before, the last first."""

    writes: tuple[Write, ...] = ()

    def waited_for(self, reads: Iterator[Span]) -> Write | None:
        """Find the last write that one of several reads waits for; None where none does.

        >>> mov = Instruction(line=1, name="mov", operands=("m.port", "m.next"))
        >>> seen = Written().after(mov, Span("m", 0, 8))
        >>> [bool(seen.waited_for(iter([Span("m", at, at + 8)]))) for at in (0, 4, 8)]
        [False, True, False]
        """
        found = [write for read in reads if (write := self._waited_for(read)) is not None]
        return min(found, key=lambda write: write.age, default=None)

    def _waited_for(self, read: Span) -> Write | None:
        last = next((write for write in self.writes if write.span.overlaps(read)), None)
        return None if last is None or last.span.holds(read) else last

    def since(self, waited_for: Write) -> Written:
        """Go on behind a write that was waited for: it and all before it have left then."""
        return Written(self.writes[: self.writes.index(waited_for)])

    def after(self, each: Instruction, span: Span | None) -> Written:
        """Go on behind an instruction, which may write."""
        kept = tuple(one._replace(age=one.age + 1) for one in self.writes
                     if one.age + 1 < REMEMBERED)  # fmt: skip
        return Written((Write(0, span, each), *kept) if span else kept)


def reads(spec: Spec, each: Instruction, layout: Layout) -> Iterator[Span]:
    """Where an instruction reads what the next ones wait for."""
    name, operands = each.name, each.operands
    if name == "table":
        fields = spec.selectors[operands[0]].fields if operands[0] in spec.selectors else [
            field for field, _ in spec.tables[operands[0]].key]  # fmt: skip
        yield from _key(spec, layout, fields)
    elif name == "hash":
        yield from _key(spec, layout, operands[2:])
    if (
        name in MERGED
        and name != "meter"
        and not _alone(spec, each)
        and (spec.bits(operands[MERGED[name]]) or 0) < 8 * WORD_BYTES
    ):
        yield from _words(spec, layout, operands[MERGED[name]])
    for place in INDICES.get(name, ()):
        yield from _words(spec, layout, operands[place])
    for place in SOURCES.get(name, ()):
        yield from _words(spec, layout, operands[place], whole=operands[place].startswith("h."))


def writes(spec: Spec, each: Instruction, layout: Layout) -> Span | None:
    """Where an instruction writes; None where nothing that is read soon is written."""
    if each.name in CHECKSUMS:
        return next(_words(spec, layout, each.operands[0], whole=False), None)
    if each.name not in MERGED:
        return None
    field = each.operands[MERGED[each.name]]
    return next(_words(spec, layout, field, whole=not _alone(spec, each)), None)


def _alone(spec: Spec, each: Instruction) -> bool:
    """Whether a compiler writes a field without what lies behind it, so that nothing is read.

    It does so with numbers but 0, which it puts in by an ``and`` of 8 bytes, and with what goes
    from one header to another, up to 2 bytes.
    """
    if each.name != "mov":
        return False
    field, source = each.operands
    bits, number = spec.bits(field) or 0, number_of(source)
    if number is not None:
        return number > 0 and bits <= NARROW_BITS
    return field.startswith("h.") and source[0] in "ht" and bits <= SHORT_BITS


def _words(spec: Spec, layout: Layout, field: str, *, whole: bool = True) -> Iterator[Span]:
    """Eight bytes from where a field begins, or its own; numbers and arguments have no place."""
    offset = spec.offset_bits(field)
    if offset is None:
        return
    memory, base = "m", 0
    if field.startswith("h."):
        header = field.rpartition(".")[0]
        memory, base = ("packet", layout.places[header]) if header in layout.places else (header, 0)
    start, bits = base + offset // 8, spec.bits(field) or 0
    narrow = not whole and bits <= NARROW_BITS
    yield Span(memory, start, start + (-(-bits // 8) if narrow else WORD_BYTES))


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
