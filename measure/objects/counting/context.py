"""What a program's context says of its packet: the fields of ``xdp_md`` and ``__sk_buff``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from linerate.measure.objects.counting.memory import Region

Moving = Literal["start", "end", "meta", "length"]
"""What changes with the packet: addresses of its ends and of its metadata, and its length, B."""
_ETHERTYPE = slice(12, 14)
_WORD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """What programs of one kind are given, and what they return."""

    name: Literal["xdp", "tc"]
    moving: Mapping[int, Moving]
    """By their byte in the context."""
    size: int
    """Bytes of the context."""
    zero: tuple[int, ...]
    """Words of it that are 0 in a test run; of the others nothing is known."""
    ethertype: int | None
    """Word that holds the packet's, as it stands there."""
    redirect: int
    """What a program returns whose packet is redirected."""

    def context(self, packet: bytes) -> Region:
        """Build what a program reads besides the packet's ends; 0 where a test run has 0."""
        found = Region.unknown(self.size)
        for byte in self.zero:
            found.write(byte, _WORD, 0)
        if self.ethertype is not None:
            found.write(self.ethertype, _WORD, int.from_bytes(packet[_ETHERTYPE], "little"))
        return found


XDP = Hook(
    name="xdp", moving={0: "start", 4: "end", 8: "meta"}, size=24, zero=(16,), ethertype=None,
    redirect=4,
)  # fmt: skip
"""``struct xdp_md``: the queue is 0, of interfaces nothing is known."""
TC = Hook(
    name="tc", moving={0: "length", 76: "start", 80: "end", 140: "meta", 164: "length"}, size=192,
    zero=(8, 20, 24, 28, 32, 44, *range(48, 68, _WORD), 72, 176), ethertype=16, redirect=7,
)  # fmt: skip
"""``struct __sk_buff``: mark, VLAN tag, priority, index, control block, class and the size of
segments are 0."""


def hook_of(datapath: str) -> Hook:
    """Say what programs of a datapath are given."""
    return TC if datapath == "tc" else XDP
