"""What a rule does with a packet, one step after the other, until one does not match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from linerate.measure.rulesets.elements import Elements
from linerate.measure.rulesets.fields import META, Field
from linerate.measure.rulesets.ipsets import SetLookup
from linerate.measure.rulesets.marks import Mark
from linerate.measure.rulesets.packet import Packet
from linerate.measure.rulesets.translation import Translate
from linerate.measure.rulesets.verdict import Verdict

Kind = Literal["compare", "set_lookup", "range_lookup"]
PLACES = {"ll": "network", "nh": "network", "th": "transport", None: "meta"}
SHORT_BITS = 16
"""Sets of one key that is no longer are bitmaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Whether fields have one of some values; of a map also the verdict."""

    fields: tuple[Field, ...]
    elements: Elements
    kind: Kind
    """What it costs."""
    mask: int | None = None
    """What of the value counts."""
    any_of: int | None = None
    """Bits of which one is enough, instead of the elements."""
    negated: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """Operations that it takes, each once.

        A comparison costs by where its value comes from; one with a mask or a range more.
        """
        looked_up = tuple(field.looked_up for field in self.fields if field.looked_up)
        return (*self._own_kinds(), *looked_up)

    def _own_kinds(self) -> tuple[str, ...]:
        field = self.fields[0]
        if self.kind == "set_lookup" and len(self.fields) == 1 and field.bits <= SHORT_BITS:
            return ("short_lookup",)
        if self.kind != "compare":
            return (self.kind,)
        is_name = field.names_interface and field.name.endswith("name")
        own = "compare_name" if is_name else f"compare_{PLACES[field.base]}"
        masked = self.mask is not None or self.any_of is not None
        more = "masked" if masked else self._more(field)
        return (own, more) if more else (own,)

    def _more(self, field: Field) -> str:
        """Name what a comparison with more than one value takes beside.

        Prefixes of whole bytes are compared as they stand, and so is what is less or more.
        """
        if not self.elements.spans or len(self.fields) > 1:
            return ""
        ((low, high),), _ = self.elements.spans[0]
        size = high - low + 1
        if size & size - 1 == 0 == low % size:
            return "masked" if (size.bit_length() - 1) % 8 else ""
        return "" if low == 0 or high == (1 << field.bits) - 1 else "range"

    def outcome(self, packet: Packet, ct_state: int) -> tuple[bool, Verdict | None]:
        """Say whether a packet matches; a field that it does not have never does."""
        key = []
        for field in self.fields:
            value = field.value(packet, ct_state)
            if value is None:
                return False, None
            key.append(value if self.mask is None else value & self.mask)
        if self.any_of is not None:
            return bool(key[0] & self.any_of) != self.negated, None
        found, verdict = self.elements.find(tuple(key))
        return found != self.negated, verdict


@dataclass(frozen=True, slots=True)
class Decide:
    """A verdict."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Note:
    """Something that takes time and lets the packet on: a counter."""

    kind: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Something that takes time and never matches at high rates: a limit."""

    kind: str


@dataclass(frozen=True, slots=True)
class Strange:
    """Something that is not understood, taken as no match."""

    what: str


@dataclass(frozen=True, slots=True)
class Unpriced:
    """Something that lets the packet on, and whose cost was not measured."""

    what: str


@dataclass(frozen=True, slots=True)
class Untrack:
    """Says that connection tracking shall not look at the packet."""


CONNECTION_LIMIT = "connection_limit"
"""Kind of a lookup of how many connections a source has."""
QUOTA = "quota"
"""Kind of a count of all bytes up to an end."""
INTERFACES = ("iif", "iifname", "oif", "oifname")
Step = Match | SetLookup | Decide | Note | Stop | Strange | Unpriced | Translate | Mark | Untrack


def in_order_of_iptables(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Put the match of a rule's protocol where iptables-nft has it: behind its interfaces alone.

    Its translation into nft's words has addresses first, and the protocol as a field of the IP
    header; in the kernel's list (``nft --debug=netlink list ruleset``, iptables 1.8.9) it is one
    of the packet's record.
    """
    fields = [step.fields[0].name if isinstance(step, Match) else "" for step in steps]
    named = [place for place, name in enumerate(fields) if name in ("l4proto", "ip protocol")]
    if not named:
        return tuple(steps)
    first = steps[named[0]]
    assert isinstance(first, Match)
    behind = sum(1 for name in fields[: named[0]] if name in INTERFACES)
    rest = [step for place, step in enumerate(steps) if place != named[0]]
    return (*rest[:behind], replace(first, fields=(META["l4proto"],)), *rest[behind:])
