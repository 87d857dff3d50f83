"""The frames that a program gets, and the order that they come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np

from linerate.errors import BadInputError, bad_input
from linerate.measure.objects.input_file import read_bytes
from linerate.measure.objects.traffic.capture import (
    CAPTURE_BYTES_MAX,
    FIELD,
    PACKET_BYTES_MAX,
    parse_capture,
)
from linerate.measure.objects.traffic.frame_list import LIST_BYTES_MAX, parse_frame_list
from linerate.units import FRAME_BYTES_MIN, frame_bytes_of, packet_bytes, wire_bytes

FRAMES_MAX = 4096
"""Different ones."""
PLACES_MAX = 65536
"""Of the order, which begins with each frame once."""
CAPTURED_MAX = 60_000
"""Packets of a capture that are used, from the first."""
_ETHERTYPE = slice(12, 14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """Different frames, and their order."""

    packets: tuple[bytes, ...]
    """Each once, without FCS, padded to the smallest frame."""
    order: tuple[int, ...]
    """Places in ``packets``, as the frames come; after the last the first comes again."""
    packets_total: int
    """Packets that the file has: more than in the order where it is not used to its end."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.packets) <= FRAMES_MAX:
            raise _refused(f"{len(self.packets)} different frames", f"1..{FRAMES_MAX}")
        if not 1 <= len(self.order) <= PLACES_MAX - len(self.packets):
            raise _refused(f"{len(self.order)} places", f"1..{PLACES_MAX - len(self.packets)}")
        if not set(self.order) <= set(range(len(self.packets))):
            raise _refused("an order of other frames", "places of the frames")
        sizes = {len(packet) for packet in self.packets}
        if min(sizes) < packet_bytes(FRAME_BYTES_MIN) or max(sizes) > PACKET_BYTES_MAX:
            raise _refused(f"{min(sizes)}..{max(sizes)} bytes",
                           f"{packet_bytes(FRAME_BYTES_MIN)}..{PACKET_BYTES_MAX}")  # fmt: skip

    @property
    def weights(self) -> tuple[int, ...]:
        """How often each comes in the order."""
        counts = Counter(self.order)
        return tuple(counts[place] for place in range(len(self.packets)))

    @property
    def mean_frame_bytes(self) -> float:
        """Mean size with FCS, over the order."""
        sizes = frame_bytes_of([len(packet) for packet in self.packets])
        return float(np.average(sizes, weights=self.weights))

    @property
    def mean_wire_bytes(self) -> float:
        """Mean of what a frame takes of the link: what line rate follows from."""
        return float(wire_bytes(self.mean_frame_bytes))

    @property
    def note(self) -> str:
        """What was left out of the file; empty where nothing was."""
        if len(self.order) >= self.packets_total:
            return ""
        return f"the first {len(self.order)} of {self.packets_total} packets were used"


def padded(packet: bytes) -> bytes:
    """Fill a packet up to the smallest frame, as whoever sends it must."""
    return packet.ljust(packet_bytes(FRAME_BYTES_MIN), b"\0")


def frames_in_order(packets: Iterable[bytes], packets_total: int) -> Frames:
    """Take packets as they come, until there are too many or too many different ones."""
    places: dict[bytes, int] = {}
    order: list[int] = []
    for packet in packets:
        whole = padded(packet)
        if len(order) == CAPTURED_MAX or (whole not in places and len(places) == FRAMES_MAX):
            break
        order.append(places.setdefault(whole, len(places)))
    return Frames(packets=tuple(places), order=tuple(order), packets_total=packets_total)


def frames_by_weight(weighted: Sequence[tuple[bytes, int]]) -> Frames:
    """Mix frames evenly: each comes as often as its weight says, at equal distances.

    >>> mix = frames_by_weight([(b"a" * 60, 4), (b"b" * 60, 2)])
    >>> mix.order
    (0, 1, 0)
    """
    weights: Counter[bytes] = Counter()
    for packet, weight in weighted:
        weights[padded(packet)] += weight
    divisor = gcd(*weights.values()) or 1
    counts = [weight // divisor for weight in weights.values()]
    if sum(counts) > PLACES_MAX - len(counts):
        raise bad_input(
            "weight", f"{sum(counts)} in all", why="each is a place in the order",
            allowed=f"up to {PLACES_MAX - len(counts)} in all, without a common divisor",
            do="round the weights",
        )  # fmt: skip
    places = [((turn + 0.5) / count, place) for place, count in enumerate(counts)
              for turn in range(count)]  # fmt: skip
    order = tuple(place for _, place in sorted(places))
    return Frames(packets=tuple(weights), order=order, packets_total=len(order))


def read_frames(path: Path) -> Frames:
    """Read frames from a capture, or from a list in a file that ends in ``.json``.

    Raises
    ------
    BadInputError
        It cannot be used; with the packet or the entry.
    """
    if path.suffix == ".json":
        return frames_by_weight(parse_frame_list(path, read_bytes(path, FIELD, LIST_BYTES_MAX)))
    data = read_bytes(path, FIELD, CAPTURE_BYTES_MAX)
    capture = parse_capture(path, data, CAPTURED_MAX)
    return frames_in_order(capture.packets, capture.packets_total)


def check_one_protocol(frames: Frames) -> None:
    """Refuse what a test run at tc cannot be: an skb keeps the protocol that it began with."""
    kinds = {packet[_ETHERTYPE].hex() for packet in frames.packets}
    if len(kinds) > 1:
        raise bad_input(
            FIELD, f"EtherTypes {', '.join(sorted(kinds))}", why="in a test run at tc all "
            "frames have the protocol of the first", allowed="frames of one EtherType",
            do="ask about each apart, or measure the mix: linerate measure",
        )  # fmt: skip


def _refused(got: str, allowed: str) -> BadInputError:
    return bad_input(FIELD, got, why="no lab takes such traffic", allowed=allowed, do="change it")
