"""Values of fields: of a frame that is followed, and what a pipeline makes of them."""

from __future__ import annotations

from collections.abc import Callable

from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

VALUE_BITS_MAX = 64
Value = Callable[[str], int | None]
"""Value of a number or a field; None where nothing tells."""
_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "mov": lambda _, right: right,
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
    "shl": lambda left, right: left << min(right, VALUE_BITS_MAX),
    "shr": lambda left, right: left >> min(right, VALUE_BITS_MAX),
}


def computed(spec: Spec, each: Instruction, value: Value, args: str = "") -> int | None:
    """Value that a move or an arithmetic instruction leaves in its first operand."""
    if each.name not in _COMPUTED:
        return None
    to, source = each.operands
    left = 0 if each.name == "mov" else value(to)
    right = value(source)
    if left is None or right is None:
        return None
    bits = spec.bits(to, args) or VALUE_BITS_MAX
    return _COMPUTED[each.name](left, right) & (1 << bits) - 1


def fields_in(spec: Spec, header: str, frame: bytes, offset: int) -> dict[str, int]:
    """Read the fields of a header from a frame, but one of varying size and those beyond its end.

    >>> from linerate.measure.datapaths.swx.spec.file import parse_spec
    >>> lines = ["struct a_h {", "bit<8> high", "bit<16> low", "}", "header a instanceof a_h",
    ...          "struct m_t {", "bit<32> port", "}", "metadata instanceof m_t", "apply {",
    ...          "rx m.port", "tx m.port", "}"]
    >>> fields_in(parse_spec(chr(10).join(lines)), "h.a", bytes([0, 1, 2, 3]), 1)
    {'h.a.high': 1, 'h.a.low': 515}
    """
    struct = spec.headers[header.removeprefix("h.")]
    found, at = {}, 8 * offset
    for name, bits in spec.structs[struct].items():
        first, last = at // 8, -(-(at + bits) // 8)
        varies = struct in spec.varbits and name == list(spec.structs[struct])[-1]
        if last <= len(frame) and not varies:
            word = int.from_bytes(frame[first:last])
            found[f"{header}.{name}"] = word >> 8 * last - at - bits & (1 << bits) - 1
        at += bits
    return found
