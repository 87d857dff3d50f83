"""What values rules compare with: numbers, prefixes, ranges, sets and maps."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

from linerate.measure.rulesets.fields import Field
from linerate.measure.rulesets.packet import NAME_BYTES, interface_number
from linerate.measure.rulesets.verdict import Verdict, verdict_of

Span = tuple[int, int]
"""First and last value."""
DIGITS_MAX = 40
"""An IPv6 address has 39."""
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


class StrangeError(Exception):
    """Something of a rule that is not understood; its text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """Values, each of one part or of several, with verdicts where it is a map."""

    exact: Mapping[tuple[int, ...], Verdict | None]
    spans: tuple[tuple[tuple[Span, ...], Verdict | None], ...] = ()

    @property
    def levels(self) -> int:
        """Steps of a search that halves: of the 2 n ends of n ranges.

        >>> Elements(exact={}, spans=((((0, 1),), None),) * 500).levels
        10
        """
        return ceil(log2(2 * (len(self.spans) + len(self.exact)) or 2))

    def find(self, key: tuple[int, ...]) -> tuple[bool, Verdict | None]:
        """Look a key up: whether it is there, and the verdict of a map."""
        if key in self.exact:
            return True, self.exact[key]
        for spans, verdict in self.spans:
            if all(low <= value <= high for value, (low, high) in zip(key, spans, strict=True)):
                return True, verdict
        return False, None


def elements_of(values: Sequence[object], fields: Sequence[Field], *, is_map: bool) -> Elements:
    """Read the elements of a set, or of a map to verdicts.

    Raises
    ------
    StrangeError
        One is not understood.
    """
    exact: dict[tuple[int, ...], Verdict | None] = {}
    spans = []
    for value in values:
        verdict = None
        if is_map:
            if not isinstance(value, list) or len(value) != 2:
                raise StrangeError("an element of a map")
            value, data = value
            verdict = verdict_of(data)
            if verdict is None:
                raise StrangeError("a map to something else than verdicts")
        parts = _spans(value, fields)
        if all(low == high for low, high in parts):
            exact[tuple(low for low, _ in parts)] = verdict
        else:
            spans.append((parts, verdict))
    return Elements(exact=exact, spans=tuple(spans))


def _spans(value: object, fields: Sequence[Field]) -> tuple[Span, ...]:
    if isinstance(value, dict) and "elem" in value and isinstance(value["elem"], dict):
        value = value["elem"].get("val")
    if len(fields) == 1:
        return (span_of(value, fields[0]),)
    parts = value.get("concat") if isinstance(value, dict) else None
    if not isinstance(parts, list) or len(parts) != len(fields):
        raise StrangeError("an element of several parts")
    return tuple(span_of(part, field) for part, field in zip(parts, fields, strict=True))


def span_of(value: object, field: Field) -> Span:
    """Read a number, a prefix or a range of values of a field.

    >>> from linerate.measure.rulesets.fields import header_field
    >>> span_of({"prefix": {"addr": "10.0.0.0", "len": 31}}, header_field("ip", "saddr"))
    (167772160, 167772161)

    The beginning of interfaces' names, as ``eth*``, is a range of them.
    """
    if isinstance(value, dict) and isinstance(value.get("prefix"), dict):
        length = value["prefix"].get("len")
        if not isinstance(length, int) or not 0 <= length <= field.bits:
            raise StrangeError(f"a prefix of {field.name}")
        free = (1 << field.bits - length) - 1
        low = number_of(value["prefix"].get("addr"), field) & ~free
        return low, low | free
    if isinstance(value, dict) and isinstance(value.get("range"), list):
        low, high = [number_of(end, field) for end in value["range"][:2]]
        return low, high
    if field.names_interface and isinstance(value, str) and value.endswith("*"):
        begin = value[: min(len(value) - 1, NAME_BYTES)]
        low = interface_number(begin)
        return low, low | (1 << 8 * (NAME_BYTES - len(begin))) - 1
    number = number_of(value, field)
    return number, number


def number_of(value: object, field: Field) -> int:
    """Read one value of a field: a number, a name, an address, or flags together."""
    if isinstance(value, dict):
        value = value.get("|")
    if isinstance(value, list):
        together = 0
        for part in value:
            together |= number_of(part, field)
        return together
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = _number_in(value, field) if isinstance(value, str) else None
    if number is None:
        raise StrangeError(f"{field.name} {str(value)[:40]}")
    return number


def _number_in(text: str, field: Field) -> int | None:
    if field.names_interface:
        return interface_number(text)
    if text in field.names:
        return field.names[text]
    if text.isdecimal() and len(text) < DIGITS_MAX:
        return int(text)
    if _MAC.fullmatch(text):
        return int(text.replace(":", ""), 16)
    try:
        return int(ipaddress.ip_address(text))
    except ValueError:
        return None
