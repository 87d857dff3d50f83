"""Settings of a network card by ethtool's netlink family, which takes the interface's number.

The older ioctl takes the name, which can mean another interface between two calls.

References
----------
Linux kernel, Documentation/networking/ethtool-netlink.rst; linux/ethtool_netlink.h.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from linerate.measure.tuning.kernel.netlink import (
    GENERIC,
    Netlink,
    attribute,
    attributes,
    nest,
    number,
    text,
)

_HEADER, _DEVICE_INDEX = 1, 1
_FEATURES_GET, _FEATURES_SET = 11, 12
_HARDWARE, _WANTED, _ACTIVE, _FIXED = 2, 3, 4, 5
_NO_MASK, _BITS, _BIT, _BIT_NAME, _BIT_VALUE = 1, 3, 1, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Numbers that one pair of messages reads and sets together."""

    get_message: int
    set_message: int
    bytes_of: Mapping[int, int]
    """Width of the attributes that are not four bytes wide."""


CHANNELS = Group(get_message=17, set_message=18, bytes_of={})
RINGS = Group(get_message=15, set_message=16, bytes_of={})
COALESCING = Group(get_message=19, set_message=20, bytes_of={11: 1, 12: 1})
PAUSE = Group(get_message=21, set_message=22, bytes_of={2: 1, 3: 1, 4: 1})


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Offloads of an interface by the kernel's names."""

    active: frozenset[str]
    """Those that are on."""
    wanted: frozenset[str]
    """Those that are asked for, whether or not another setting keeps them off."""
    changeable: frozenset[str]
    """Those that can be switched."""


def read_numbers(index: int, group: Group) -> dict[int, int]:
    """Read the numbers of a group that this driver has, by attribute.

    Raises
    ------
    OSError
        The driver has none of them.
    """
    answer = _ask(index, group.get_message, b"")[0]
    return {
        kind: number(value)
        for kind, value in attributes(answer[4:])
        if kind != _HEADER and len(value) in (1, 4)
    }


def set_number(index: int, group: Group, kind: int, value: int) -> None:
    """Set one number of a group; what is not named stays."""
    width = group.bytes_of.get(kind, 4)
    _ask(index, group.set_message, attribute(kind, value.to_bytes(width, sys.byteorder)))


def read_features(index: int) -> Features:
    """Read every offload of an interface."""
    sets = dict(attributes(_ask(index, _FEATURES_GET, b"")[0][4:]))
    wanted = _names(sets[_WANTED])
    return Features(
        active=_names(sets[_ACTIVE]),
        wanted=wanted,
        changeable=(_names(sets[_HARDWARE]) | wanted) - _names(sets[_FIXED]),
    )


def set_feature(index: int, name: str, *, on: bool) -> None:
    """Ask for an offload, or for its end; the kernel may keep it, so read it back."""
    value = attribute(_BIT_VALUE) if on else b""
    bit = nest(_BIT, attribute(_BIT_NAME, name.encode() + b"\0"), value)
    _ask(index, _FEATURES_SET, nest(_WANTED, nest(_BITS, bit)))


def _ask(index: int, message: int, change: bytes) -> list[bytes]:
    device = nest(_HEADER, attribute(_DEVICE_INDEX, struct.pack("=I", index)))
    with Netlink.open(GENERIC) as kernel:
        head = struct.pack("=BBH", message, 1, 0)
        return kernel.ask(kernel.family("ethtool"), head + device + change)


def _names(bitset: bytes) -> frozenset[str]:
    """Names of the bits that are set: all that are listed, or those marked where all are."""
    parts = dict(attributes(bitset))
    bits = [dict(attributes(bit)) for _, bit in attributes(parts.get(_BITS, b""))]
    listed = _NO_MASK in parts
    return frozenset(text(bit[_BIT_NAME]) for bit in bits if listed or _BIT_VALUE in bit)
