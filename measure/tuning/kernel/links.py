"""Interfaces as the kernel lists them: number, name, address, what lies above and below them.

References
----------
linux/rtnetlink.h, linux/if_link.h.
"""

from __future__ import annotations

import errno
import struct
from contextlib import suppress
from dataclasses import dataclass

from linerate.measure.tuning.kernel.netlink import (
    ACK,
    DUMP,
    ROUTE,
    Netlink,
    attribute,
    attributes,
    nest,
    number,
    text,
)

_GET, _SET = 18, 19
_INFO = struct.Struct("=BxHiII")
_ADDRESS, _NAME, _MTU, _LINK, _MASTER, _AF_SPEC, _LINK_NETNS, _XDP = 1, 3, 4, 5, 10, 26, 37, 43
_XDP_IDS = (4, 5, 6, 7)
_XDP_FD, _XDP_FLAGS = 1, 3
_XDP_MODES = (1 << 2, 1 << 1)
"""Native and generic."""
_LOOPBACK = 0x8
_INET, _CONF = 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One interface of this network namespace."""

    index: int
    """Number, which a rename does not change."""
    name: str
    mac: str
    """Hardware address; empty where it has none."""
    mtu_bytes: int = 0
    loopback: bool = False
    master: int | None = None
    """Number of the bridge or bond that it is a port of."""
    parent: int | None = None
    """Number of the interface below it, for a VLAN or macvlan of this namespace."""
    xdp_programs: tuple[int, ...] = ()
    """Kernel's numbers of the XDP programs on it."""
    inet_settings: tuple[int, ...] = ()
    """IPv4 settings (net.ipv4.conf), by the kernel's numbers less one."""


def read_links() -> tuple[Link, ...]:
    """List the interfaces of this network namespace."""
    with Netlink.open(ROUTE) as kernel:
        return tuple(map(_link, kernel.ask(_GET, _INFO.pack(0, 0, 0, 0, 0), DUMP)))


def find_link(*, name: str | None = None, index: int = 0) -> Link | None:
    """Look one interface up by its name or number; None if there is none.

    Raises
    ------
    OSError
        The kernel refused for another reason.
    """
    wanted = b"" if name is None else attribute(_NAME, name.encode() + b"\0")
    with Netlink.open(ROUTE) as kernel:
        try:
            return _link(kernel.ask(_GET, _INFO.pack(0, 0, index, 0, 0) + wanted)[0])
        except OSError as error:
            if error.errno == errno.ENODEV:
                return None
            raise


def set_mtu(index: int, mtu_bytes: int) -> None:
    """Set the largest packet of an interface, B without Ethernet header."""
    _set(index, attribute(_MTU, struct.pack("=I", mtu_bytes)))


def set_inet(index: int, setting: int, value: int) -> None:
    """Set one of an interface's IPv4 settings, by the kernel's number of it (linux/ip.h)."""
    conf = nest(_CONF, attribute(setting, struct.pack("=I", value)))
    _set(index, nest(_AF_SPEC, nest(_INET, conf)))


def detach_xdp(index: int) -> None:
    """Take off XDP programs that no process holds; quietly where there is none."""
    for mode in _XDP_MODES:
        with suppress(OSError):  # a driver without this mode; or held, which is seen afterwards
            fd = attribute(_XDP_FD, struct.pack("=i", -1))
            _set(index, nest(_XDP, fd, attribute(_XDP_FLAGS, struct.pack("=I", mode))))


def _set(index: int, change: bytes) -> None:
    with Netlink.open(ROUTE) as kernel:
        kernel.ask(_SET, _INFO.pack(0, 0, index, 0, 0) + change, ACK)


def _link(body: bytes) -> Link:
    _, _, index, flags, _ = _INFO.unpack_from(body)
    has = dict(attributes(body[_INFO.size :]))
    xdp = dict(attributes(has.get(_XDP, b"")))
    return Link(
        index=index,
        name=text(has[_NAME]),
        mac=has.get(_ADDRESS, b"").hex(":"),
        mtu_bytes=number(has[_MTU]),
        loopback=bool(flags & _LOOPBACK),
        master=number(has[_MASTER]) if _MASTER in has else None,
        # the number of a veth's other end in another namespace means nothing in this one
        parent=number(has[_LINK]) if _LINK in has and _LINK_NETNS not in has else None,
        xdp_programs=tuple(sorted({number(xdp[kind]) for kind in _XDP_IDS if kind in xdp} - {0})),
        inet_settings=_inet(has.get(_AF_SPEC, b"")),
    )


def _inet(specific: bytes) -> tuple[int, ...]:
    conf = dict(attributes(dict(attributes(specific)).get(_INET, b""))).get(_CONF, b"")
    return struct.unpack(f"={len(conf) // 4}I", conf)
