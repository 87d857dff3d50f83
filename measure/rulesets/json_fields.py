"""Fields that a rule looks at, as nft's JSON names them (libnftables-json(5))."""

from __future__ import annotations

from linerate.measure.rulesets.elements import StrangeError
from linerate.measure.rulesets.fields import CT, FIB, META, Field, drawn, header_field


def fields_of(left: object) -> tuple[Field, ...]:
    """Read one field, or those that are looked up together.

    Raises
    ------
    StrangeError
        One is not known.
    """
    if isinstance(left, dict) and isinstance(left.get("concat"), list):
        return tuple(field_of(part) for part in left["concat"])
    return (field_of(left),)


def field_of(left: object) -> Field:
    """Read one field.

    >>> field_of({"payload": {"protocol": "udp", "field": "dport"}}).name
    'udp dport'

    Raises
    ------
    StrangeError
        It is not known.
    """
    if not isinstance(left, dict) or len(left) != 1:
        raise StrangeError("an expression")
    ((sort, inner),) = left.items()
    inner = inner if isinstance(inner, dict) else {}
    if sort == "payload":
        return _payload(inner)
    key = str(inner.get("key"))
    if sort == "meta" and key in META:
        return META[key]
    if sort == "ct" and key in CT:
        return CT[key]
    if sort == "fib":
        return _of_routes(inner)
    if sort == "numgen":
        return _drawn(inner)
    raise StrangeError(f"{sort} {key}" if "key" in inner else sort)


def _of_routes(inner: dict[str, object]) -> Field:
    flags, result = inner.get("flags"), str(inner.get("result"))
    address = str(flags[0] if isinstance(flags, list) and flags else flags)
    if (address, result) not in FIB:
        raise StrangeError(f"fib {address} {result}")
    return FIB[address, result]


def _drawn(inner: dict[str, object]) -> Field:
    choices, first = inner.get("mod"), inner.get("offset", 0)
    if not isinstance(choices, int) or not isinstance(first, int):
        raise StrangeError("numgen")
    return drawn(choices, first)


def _payload(inner: dict[str, object]) -> Field:
    if "base" in inner:
        base, at, bits = inner.get("base"), inner.get("offset"), inner.get("len")
        if base in ("ll", "nh", "th") and isinstance(at, int) and isinstance(bits, int):
            return Field(name=f"@{base},{at},{bits}", bits=bits, base=base, at=at)
        raise StrangeError(f"@{base}")
    protocol, name = str(inner.get("protocol")), str(inner.get("field"))
    field = header_field(protocol, name)
    if field is None:
        raise StrangeError(f"{protocol} {name}")
    return field
