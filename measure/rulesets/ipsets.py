"""Sets of ipset, as `ipset save` lists them: which packets they hold, and what a lookup takes."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from linerate.measure.rulesets.elements import StrangeError, number_of
from linerate.measure.rulesets.fields import META, Field, header_field
from linerate.measure.rulesets.packet import Packet

LOOKUP, PREFIX, BITMAP = "ipset_lookup", "ipset_prefix", "ipset_bitmap"
"""Kinds of operations: a set that is a hash table, each further length of its prefixes, and one
that is a bitmap."""
FAMILY = "inet"
"""Of the packets that rules of iptables see; a set of another family holds none of them."""
LIST = "list:set"
SORTS = ("hash:ip", "hash:net", "hash:ip,port", "hash:net,port", "hash:ip,port,ip",
         "hash:ip,port,net", "bitmap:ip", "bitmap:port")  # fmt: skip
"""Types of sets that are understood, beside lists of such."""
_PORT_AT = {"src": 0, "dst": 16}
_ADDRESS = {"src": "saddr", "dst": "daddr"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """Values of several parts, of each of which the first bits count."""

    widths: tuple[int, ...]
    """Bits of each part."""
    by_bits: Mapping[tuple[int, ...], frozenset[tuple[int, ...]]]
    """By how many bits of each part count, those bits."""

    def holds(self, key: tuple[int, ...]) -> bool:
        """Look a value of each part up.

        >>> Prefixes(widths=(8,), by_bits={(4,): frozenset({(0xA,)})}).holds((0xA7,))
        True
        """
        return any(
            tuple(
                part >> width - bits
                for part, width, bits in zip(key, self.widths, counting, strict=True)
            )
            in values
            for counting, values in self.by_bits.items()
        )


@dataclass(slots=True, kw_only=True)
class Ipset:
    """One set."""

    name: str
    sort: str
    """Its type, as ipset names it."""
    family: str = FAMILY
    netmask: int = 32
    """Bits of an address that count."""
    entries: list[str] = field(default_factory=list)
    excludes: bool = False
    """Whether some entry says what is not in it."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What its entries are made of.

        >>> Ipset(name="a", sort="hash:net,port").parts
        ('net', 'port')
        """
        return tuple(self.sort.partition(":")[2].split(","))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLookup:
    """Whether a set holds a packet: one match of a rule."""

    fields: tuple[Field, ...]
    entries: Prefixes
    counted: tuple[tuple[str, int], ...]
    """Operations of one that finds nothing, pairs (kind, times)."""
    negated: bool = False

    def matches(self, packet: Packet) -> bool:
        """Say whether a packet matches; one without such fields is in no set."""
        key = [field.value(packet, 0) for field in self.fields]
        known = tuple(value for value in key if value is not None)
        return (len(known) == len(key) and self.entries.holds(known)) != self.negated


def parse_ipsets(saved: str) -> dict[str, Ipset]:
    r"""Read what `ipset save` wrote, by name.

    >>> text = "create a hash:net family inet hashsize 1024\nadd a 10.0.0.0/8 comment mine\n"
    >>> parse_ipsets(text)["a"].entries
    ['10.0.0.0/8']
    """
    found: dict[str, Ipset] = {}
    for line in saved.splitlines():
        words = line.split()
        if words[:1] == ["create"]:
            found[words[1]] = Ipset(
                name=words[1], sort=words[2], family=_option(words, "family", FAMILY),
                netmask=int(_option(words, "netmask", "32")),
            )  # fmt: skip
        elif words[:1] == ["add"] and words[1] in found:
            found[words[1]].entries.append(words[2])
            found[words[1]].excludes |= "nomatch" in words[3:]
    return found


def _option(words: Sequence[str], name: str, usual: str) -> str:
    """Take the value behind an option's name; others may be names without one."""
    return words[words.index(name) + 1] if name in words[:-1] else usual


def lookup_of(sets: Mapping[str, Ipset], name: str, directions: Sequence[str]) -> SetLookup:
    """Say what a match of a set looks up.

    Parameters
    ----------
    sets, name
        The sets there are, and which.
    directions
        Of each part of its entries, ``src`` or ``dst``.

    Raises
    ------
    StrangeError
        The set, or something in it, is not understood.
    """
    own = sets.get(name)
    if own is None:
        raise StrangeError(f"set {name}")
    names = own.entries if own.sort == LIST else [name]
    members = [sets[each] for each in names if each in sets]
    for each in members:
        _check(each)
    shapes = {each.sort.replace("net", "ip") for each in members}
    if len(shapes) != 1 or len(directions) < len(members[0].parts):
        raise StrangeError(f"set {name} by {','.join(directions)}")
    fields = _fields(members[0], directions)
    return SetLookup(
        fields=fields, counted=_counted(members),
        entries=Prefixes(widths=tuple(each.bits for each in fields),
                         by_bits=_by_bits(members, fields)),
    )  # fmt: skip


def _check(own: Ipset) -> None:
    if own.excludes:
        raise StrangeError(f"set {own.name} with nomatch")
    if own.sort not in SORTS or own.family != FAMILY:
        raise StrangeError(f"set {own.name} of {own.sort} {own.family}")


def _fields(own: Ipset, directions: Sequence[str]) -> tuple[Field, ...]:
    """List what of a packet the parts of an entry are held against."""
    found: list[Field] = []
    for part, direction in zip(own.parts, directions, strict=False):
        if part != "port":
            address = header_field("ip", _ADDRESS[direction])
            assert address is not None
            found.append(address)
            continue
        if own.sort != "bitmap:port":
            found.append(META["l4proto"])
        found.append(Field(name=f"{direction} port", bits=16, base="th", at=_PORT_AT[direction]))
    return tuple(found)


def _counted(members: Iterable[Ipset]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for each in members:
        kind = BITMAP if each.sort.startswith("bitmap") else LOOKUP
        counts[kind] = counts.get(kind, 0) + 1
        if "net" in each.parts:
            at = each.parts.index("net")
            lengths = {entry.split(",")[at].partition("/")[2] for entry in each.entries}
            counts[PREFIX] = counts.get(PREFIX, 0) + max(0, len(lengths) - 1)
    return tuple((kind, times) for kind, times in sorted(counts.items()) if times)


def _by_bits(
    members: Iterable[Ipset], fields: Sequence[Field]
) -> Mapping[tuple[int, ...], frozenset[tuple[int, ...]]]:
    found: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for each in members:
        for entry in each.entries:
            pairs = _pairs(each, entry, fields)
            bits = tuple(counting for _, counting in pairs)
            shifted = tuple(value >> field.bits - counting for (value, counting), field in
                            zip(pairs, fields, strict=True))  # fmt: skip
            found.setdefault(bits, set()).add(shifted)
    return {bits: frozenset(values) for bits, values in found.items()}


def _pairs(own: Ipset, entry: str, fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Read an entry: of each field its value, and how many of its bits count."""
    found: list[tuple[int, int]] = []
    rest = iter(fields)
    for part, text in zip(own.parts, entry.split(","), strict=False):
        if part == "port":
            protocol, _, port = text.rpartition(":")
            if protocol:
                found.append((number_of(protocol, next(rest)), 8))
            if not port.isdecimal():
                raise StrangeError(f"set {own.name}: {text}")
            found.append((int(port), next(rest).bits))
            continue
        address, _, length = text.partition("/")
        next(rest)
        try:
            value = int(ipaddress.IPv4Address(address))
        except ValueError:
            raise StrangeError(f"set {own.name}: {text}") from None
        found.append((value, int(length) if length else own.netmask))
    return found
