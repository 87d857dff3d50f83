"""From what a user writes to the bytes that a member holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

from linerate.errors import BadInputError, bad_input
from linerate.measure.objects.listing import Member

SHOWN_MAX = 120
_HEX = re.compile(r"0[xX]((?:[0-9a-fA-F]{2})*)|((?:[0-9a-fA-F]{2} )*[0-9a-fA-F]{2})")
_MAC = re.compile(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")
_WIDTHS_OF_NUMBERS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changing:
    """What differs from one entry of many to the next."""

    kind: Literal["index", "random"]
    base: int = 0
    """What the index is added to."""
    in_network_order: bool = False
    """Whether the most significant byte comes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Bits of a key or a value: a number, or what changes."""

    offset_bits: int
    bits: int
    content: int | Changing
    """A number is what its bytes are in little-endian order."""


def whole(width_bytes: int) -> tuple[Member, ...]:
    """Take a key or a value of which only the size is known for a number, else for bytes."""
    bits, count = (8 * width_bytes, 1) if width_bytes in _WIDTHS_OF_NUMBERS else (8, width_bytes)
    return (Member(name="", offset_bits=0, bits=bits, count=count, signed=False),)


def part_of(member: Member, value: object, where: str) -> Part:
    """Encode one member.

    Parameters
    ----------
    member
        Its place, width and sign.
    value
        An integer or a boolean; a list for a row of numbers; or text: bytes, an address,
        ``index`` or ``random``.
    where
        What errors call it.

    Raises
    ------
    BadInputError
        It does not fit.
    """
    if isinstance(value, str):
        content = _text(member, value, where)
    elif isinstance(value, list):
        content = _row(member, value, where)
    elif member.count == 1:
        content = _number(member, value, where)
    else:
        raise refused(where, value, f"it has {member.count} numbers of {member.bits} bits",
                      f"a list of up to {member.count}, or {_texts(member)}")  # fmt: skip
    return Part(
        offset_bits=member.offset_bits, bits=member.bits * member.count, content=content
    )  # fmt: skip


def prefix_bytes(text: str, key_bytes: int, where: str) -> bytes:
    """Encode a prefix as the key of a trie: its length, then the address.

    >>> prefix_bytes("10.0.0.0/8", 8, "key").hex()
    '080000000a000000'
    """
    try:
        network = ip_network(text)
    except ValueError as error:
        allowed = "such as 10.0.0.0/8 or 2001:db8::/32, or a table of members"
        raise refused(where, text, f"it is not a prefix ({error})", allowed) from None
    address = network.network_address.packed
    if key_bytes != 4 + len(address):
        raise refused(where, text, f"the key has {key_bytes} bytes, not 4 and {len(address)}",
                      "a prefix of the key's own family, or a table of members")  # fmt: skip
    return network.prefixlen.to_bytes(4, "little") + address


def refused(where: str, value: object, why: str, allowed: str) -> BadInputError:
    """Build the refusal of a value; both are shown in short, whatever they hold."""
    return bad_input(shown(where), shown(value), why=why, allowed=allowed, do="correct it")


def shown(value: object) -> str:
    """Show a value of a file in one short line.

    >>> shown("a   b"), shown({"deep": {}}), shown(1 << 4000)
    ('a b', '{...}', 'a number of 4001 bits')
    """
    if isinstance(value, dict | list):
        return "{...}" if isinstance(value, dict) else "[...]"
    if isinstance(value, int) and value.bit_length() > SHOWN_MAX:
        return f"a number of {value.bit_length()} bits"  # of very many, Python writes no digits
    text = " ".join(str(value).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _number(member: Member, value: object, where: str) -> int:
    lowest = -(1 << member.bits - 1) if member.signed else 0
    highest = (1 << member.bits - member.signed) - 1
    if not isinstance(value, int):
        kind = "table" if isinstance(value, dict) else type(value).__name__
        raise refused(where, value, f"a {kind} cannot be here",
                      f"a whole number {lowest}..{highest}, or {_texts(member)}")  # fmt: skip
    if not lowest <= value <= highest:
        raise refused(where, value, f"it does not fit into {member.bits} bits",
                      f"{lowest}..{highest}")  # fmt: skip
    return value & (1 << member.bits) - 1


def _row(member: Member, values: list[object], where: str) -> int:
    if len(values) > member.count:
        raise refused(where, f"{len(values)} numbers", f"there is room for {member.count}",
                      f"up to {member.count}; those left out are 0")  # fmt: skip
    return sum(
        _number(member, value, f"{where}[{place}]") << place * member.bits
        for place, value in enumerate(values)
    )


def _text(member: Member, text: str, where: str) -> int | Changing:
    if text in ("index", "random"):
        return Changing(kind="index" if text == "index" else "random")
    address, plus, word = text.partition("+")
    packed = _packed(address if plus else text)
    if packed is None or (plus and (word != "index" or not _address(address))):
        raise refused(where, text, "it is neither bytes nor an address", _texts(member))
    if 8 * len(packed) != member.bits * member.count:
        raise refused(where, text, f"it has {len(packed)} bytes", _texts(member))
    if plus:
        return Changing(kind="index", base=int.from_bytes(packed, "big"), in_network_order=True)
    return int.from_bytes(packed, "little")


def _packed(text: str) -> bytes | None:
    """Bytes in the order that they are written in; None where it is something else."""
    if known := _HEX.fullmatch(text):
        return bytes.fromhex(known[1] if known[1] is not None else known[2])
    if _MAC.fullmatch(text):
        return bytes.fromhex(text.replace(":", ""))
    address = _address(text)
    return address.packed if address else None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _texts(member: Member) -> str:
    """Say which texts fit."""
    bits = member.bits * member.count
    if bits % 8:
        return "a whole number"
    kinds = {4: ", an IPv4 address", 6: ", a MAC address", 16: ", an IPv6 address"}
    return f'{bits // 8} bytes as "0x..." in the order they lie{kinds.get(bits // 8, "")}'
