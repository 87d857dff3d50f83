"""A key or a value of fixed width, by the names of its members, and many that differ by a number.

Members lie as BTF says; bits count from the least significant of the first byte, as compilers lay
them out for little-endian BPF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linerate.measure.objects.listing import Member
from linerate.measure.objects.maps.values import Changing, Part, part_of, refused, whole

NAMES_SHOWN = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Bytes, of which some may change from one entry to the next."""

    width_bytes: int
    constant: int
    """All that does not change, as a little-endian number."""
    changing: tuple[tuple[Part, Changing], ...]
    """Where and how the others do."""

    @property
    def is_constant(self) -> bool:
        """Whether all entries are alike."""
        return not self.changing

    def at(self, index: int, draws: np.random.Generator) -> bytes:
        """Bytes of the entry of this index."""
        number = self.constant
        for part, how in self.changing:
            number |= _changed(how, part.bits, index, draws) << part.offset_bits
        return number.to_bytes(self.width_bytes, "little")

    def check_last(self, last_index: int, where: str) -> None:
        """Refuse indices that are wider than what holds them."""
        for part, how in self.changing:
            if how.kind == "index" and how.base + last_index >= 1 << part.bits:
                raise refused(where, last_index, f"the index does not fit into {part.bits} bits",
                              "fewer entries")  # fmt: skip


def pattern_of(
    value: object, width_bytes: int, members: Sequence[Member], where: str
) -> Pattern:  # fmt: skip
    """Encode a key or a value.

    Parameters
    ----------
    value
        A number or a text for the whole, or a table of members; those left out are zero.
    width_bytes
        Of the whole.
    members
        Empty where the object does not say.
    where
        What errors call it.

    Raises
    ------
    BadInputError
        A member that is not there, or that has no such value.
    """
    constant = taken = 0
    changing = []
    for part, place in parts_of(value, width_bytes, members, where):
        mask = ((1 << part.bits) - 1) << part.offset_bits
        if taken & mask:
            raise refused(place, value, "another member has its bytes: it is a union of both",
                          "one of them")  # fmt: skip
        taken |= mask
        if isinstance(part.content, int):
            constant |= part.content << part.offset_bits
        else:
            changing.append((part, part.content))
    return Pattern(width_bytes=width_bytes, constant=constant, changing=tuple(changing))


def parts_of(
    value: object, width_bytes: int, members: Sequence[Member], where: str, name: str = ""
) -> Iterator[tuple[Part, str]]:
    """Encode each member that is given, with what errors call it.

    ``name`` is what ``value`` belongs to: a variable of a section; empty for the whole.
    """
    known = members or whole(width_bytes)
    for member, content, place in _leaves(value, width_bytes, known, where, name):
        end_bits = member.offset_bits + member.bits * member.count
        if end_bits > 8 * width_bytes or member.bits == 0 or member.count == 0:
            raise refused(place, content, "the object's BTF places it outside",
                          "members inside")  # fmt: skip
        yield part_of(member, content, place), place


def _leaves(
    value: object, width_bytes: int, members: Sequence[Member], where: str, name: str
) -> Iterator[tuple[Member, object, str]]:
    """Follow tables and lists down to members."""
    exact = next((member for member in members if member.name == name), None)
    if exact:
        yield exact, value, where
        return
    below = [member for member in members if is_below(member.name, name)]
    if not below:
        raise refused(where, name or value, "there is no such member", names_of(members))
    if isinstance(value, dict):
        for key, content in value.items():
            path = f"{name}.{key}" if name or not key else key
            yield from _leaves(content, width_bytes, members, f"{where}.{key}", path)
    elif isinstance(value, list):
        for place, content in enumerate(value):
            path = f"{name}[{place}]"
            yield from _leaves(content, width_bytes, members, f"{where}[{place}]", path)
    elif isinstance(value, str):
        yield _span(below, width_bytes if not name else None, name), value, where
    else:
        raise refused(where, value, "it has several members",
                      f"a table of {names_of(below)}, or the bytes of all")  # fmt: skip


def names_of(members: Sequence[Member]) -> str:
    """Say the names of members; not all where there are many."""
    names = [member.name for member in members if member.name]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more or "a number or bytes: it has no members"


def is_below(member: str, name: str) -> bool:
    """Whether a member belongs to what has the name; all do to the whole, which has none."""
    return not name or re.match(re.escape(name) + r"[.\[]", member) is not None


def _span(members: Sequence[Member], width_bytes: int | None, name: str) -> Member:
    """Take several members as bytes."""
    if width_bytes is not None:
        return Member(name=name, offset_bits=0, bits=8, count=width_bytes, signed=False)
    first = min(member.offset_bits for member in members) // 8
    last = max(member.offset_bits + member.bits * member.count for member in members)
    return Member(
        name=name, offset_bits=8 * first, bits=8, count=(last + 7) // 8 - first, signed=False
    )


def _changed(how: Changing, bits: int, index: int, draws: np.random.Generator) -> int:
    if how.kind == "random":
        return int.from_bytes(draws.bytes((bits + 7) // 8), "little") & (1 << bits) - 1
    number = how.base + index
    if not how.in_network_order:
        return number
    return int.from_bytes(number.to_bytes(bits // 8, "big"), "little")
