"""What helpers of tc do to a packet: its bytes, its ends, and its VLAN tag beside it."""

from __future__ import annotations

from linerate.measure.objects.counting.arithmetic import signed
from linerate.measure.objects.counting.memory import Pointer, Value
from linerate.measure.objects.counting.packet_effects import (
    ETHERNET_BYTES,
    INVALID,
    adjust_head,
    adjust_tail,
    load_bytes,
)
from linerate.measure.objects.counting.path import CONTEXT, PACKET, Path
from linerate.measure.objects.counting.world import World

BEHIND_ETHERNET = 1
"""``BPF_ADJ_ROOM_MAC``; else behind the IP header."""
FROM_NETWORK = 1
"""``BPF_HDR_START_NET``."""
IP_BYTES = 20
_TAG, _TAG_VALUE = 20, 24
"""Words of the context that hold whether there is a tag, and which."""
_SUM_BYTES = 2


def load_relative(world: World, path: Path, arguments: list[Value]) -> Value:
    """Copy bytes of the packet, counted from its Ethernet or its network header."""
    context, offset, *others, start = arguments[:5]
    if start == FROM_NETWORK and isinstance(offset, int):
        offset += ETHERNET_BYTES
    return load_bytes(world, path, [context, offset, *others])


def change_tail(world: World, path: Path, arguments: list[Value]) -> Value:
    """Give the packet another length; new bytes are 0."""
    to = arguments[1]
    by = to - (path.end - path.start) if isinstance(to, int) else None
    return adjust_tail(world, path, [arguments[0], by])


def change_head(world: World, path: Path, arguments: list[Value]) -> Value:
    """Make room before the packet."""
    more = arguments[1]
    return adjust_head(world, path, [arguments[0], -more if isinstance(more, int) else None])


def adjust_room(world: World, path: Path, arguments: list[Value]) -> Value:
    """Make room behind the headers, or take it away: these move, what follows stays."""
    by, mode = arguments[1], arguments[2]
    if not isinstance(by, int):
        return adjust_head(world, path, [arguments[0], None])
    size = ETHERNET_BYTES + (0 if mode == BEHIND_ETHERNET else IP_BYTES)
    old = path.start
    headers = [path.read(Pointer(PACKET, old + at), 1) for at in range(size)]
    if adjust_head(world, path, [arguments[0], -signed(by, 32)]) == INVALID:
        return INVALID
    for at, byte in enumerate(headers):
        path.write(Pointer(PACKET, path.start + at), 1, byte)
    return 0


def vlan_push(world: World, path: Path, arguments: list[Value]) -> Value:
    """Put a tag beside the packet; one that is there before goes into it, which is not followed."""
    if path.read(Pointer(CONTEXT, _TAG), 4) == 1:
        world.assume("a second VLAN tag is pushed: the packet is taken as it was")
    path.write(Pointer(CONTEXT, _TAG), 4, 1)
    path.write(Pointer(CONTEXT, _TAG_VALUE), 4, arguments[2])
    return 0


def vlan_pop(world: World, path: Path, arguments: list[Value]) -> Value:
    """Take the tag away that stands beside the packet."""
    if path.read(Pointer(CONTEXT, _TAG), 4) != 1:
        world.assume("a VLAN tag is popped: the packet is taken as it was")
    path.write(Pointer(CONTEXT, _TAG), 4, 0)
    return 0


def replace_sum(world: World, path: Path, arguments: list[Value]) -> Value:
    """Change a checksum; which it is then is not followed."""
    at = arguments[1]
    if isinstance(at, int):
        path.write(Pointer(PACKET, path.start + at), _SUM_BYTES, None)
    return 0


def no_tunnel(world: World, path: Path, arguments: list[Value]) -> Value:
    """Find no key of a tunnel: the packet came by none."""
    return INVALID
