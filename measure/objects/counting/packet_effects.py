"""What the kernel's helpers do to a packet: its ends, its bytes, and sums over them."""

from __future__ import annotations

from linerate.measure.objects.counting.arithmetic import signed
from linerate.measure.objects.counting.memory import REGION_BYTES_MAX, Pointer, Value, moved
from linerate.measure.objects.counting.path import PACKET, PACKET_ROOM_BYTES, Path
from linerate.measure.objects.counting.world import World

INVALID = (-22) & (1 << 64) - 1
"""-EINVAL."""
SUM_BYTES_MAX = 512
"""That a checksum is summed of."""
ETHERNET_BYTES = 14


def adjust_head(world: World, path: Path, arguments: list[Value]) -> Value:
    """Move the first byte of the packet."""
    by = _step(world, arguments[1])
    to = path.start + by
    if not 0 <= to <= path.end - ETHERNET_BYTES:
        return INVALID
    path.start = path.meta = to
    return 0


def adjust_tail(world: World, path: Path, arguments: list[Value]) -> Value:
    """Move the end of the packet; new bytes are 0."""
    by = _step(world, arguments[1])
    to = path.end + by
    if not path.start + ETHERNET_BYTES <= to <= PACKET_ROOM_BYTES:
        return INVALID
    for at in range(path.end, to):
        path.regions[PACKET].write(at, 1, 0)
    path.end = to
    return 0


def adjust_meta(world: World, path: Path, arguments: list[Value]) -> Value:
    """Move the first byte of the metadata."""
    to = path.meta + _step(world, arguments[1])
    if not 0 <= to <= path.start:
        return INVALID
    path.meta = to
    return 0


def _step(world: World, value: Value) -> int:
    if isinstance(value, int):
        return signed(value, 32)
    world.assume("a packet is made longer or shorter by what is not known: taken as by nothing")
    return 0


def load_bytes(world: World, path: Path, arguments: list[Value]) -> Value:
    """Copy bytes of the packet into memory."""
    return _copied(path, arguments, into_packet=False)


def store_bytes(world: World, path: Path, arguments: list[Value]) -> Value:
    """Copy memory into the packet."""
    return _copied(path, arguments, into_packet=True)


def _copied(path: Path, arguments: list[Value], *, into_packet: bool) -> Value:
    """Copy each byte between its place in the packet and that in memory."""
    _, offset, buffer, size = arguments[:4]
    if not isinstance(size, int) or size > REGION_BYTES_MAX:
        return 0
    if isinstance(offset, int) and offset + size > path.end - path.start:
        return INVALID
    for at in range(size):
        here = path.start + offset + at if isinstance(offset, int) else None
        packet, memory = Pointer(PACKET, here), moved(buffer, at)
        source, target = (memory, packet) if into_packet else (packet, memory)
        path.write(target, 1, path.read(source, 1))
    return 0


def checksum_difference(world: World, path: Path, arguments: list[Value]) -> Value:
    """Sum words one by one: those taken out are complemented."""
    total = arguments[4]
    if not isinstance(total, int):
        return None
    for where, size, is_old in ((*arguments[0:2], True), (*arguments[2:4], False)):
        if size == 0:
            continue
        content = (
            path.bytes_at(where, size) if isinstance(size, int) and size <= SUM_BYTES_MAX else None
        )
        if content is None:
            return None
        for at in range(0, len(content), 4):
            word = int.from_bytes(content[at : at + 4], "little")
            total += (~word & 0xFFFFFFFF) if is_old else word
    while total >> 32:
        total = (total & 0xFFFFFFFF) + (total >> 32)
    return total


def length(world: World, path: Path, arguments: list[Value]) -> Value:
    """Say how long the packet is."""
    return path.end - path.start
