"""What is measured: a cell, the load that is offered to it, and the settings of its datapath."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from linerate.errors import bad_input

Arrivals = Literal["flood", "constant", "poisson", "burst"]
"""How packets are spread in time: as fast as possible, evenly, by exponential gaps, in bursts."""
Mode = Literal["serial", "split"]
"""Where the device under test runs: behind the generator on its core, or on a core of its own."""
Generator = Literal["live_frames", "hping3", "ping"]
"""What sends: linerate's own generator, the tool of Sampaio (2017), or echo requests alone."""

Value = bool | int | float | str
Settings = tuple[tuple[str, Value], ...]
"""Settings of a datapath: pairs of a column and its value."""

TCP_FLAGS = "FSRPAU"
"""Letters that a packet's ``tcp_flags`` may hold, as tcpdump writes them."""
MIX_MAX = 10**6
"""Of weights and sizes of a mix: larger ones are of no generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """What kind of packets a load is made of."""

    protocol: Literal["udp", "tcp"] = "udp"
    tcp_flags: str = ""
    """Letters of ``TCP_FLAGS``; empty for UDP."""
    payload: str = ""
    """First bytes of the payload, ASCII; empty for UDP."""
    sources: int = 1
    """Distinct source addresses, drawn at random for each packet."""

    def __post_init__(self) -> None:
        if set(self.tcp_flags) - set(TCP_FLAGS):
            raise bad_input(
                "tcp_flags", self.tcp_flags, why="a letter is not a TCP flag",
                allowed=f"letters of {TCP_FLAGS}", do="correct it",
            )  # fmt: skip
        if not self.payload.isascii() or not self.payload.isprintable():
            raise bad_input(
                "payload", ascii(self.payload), why="it cannot be put into a packet as it stands",
                allowed="printable ASCII", do="correct it",
            )  # fmt: skip
        if self.protocol == "udp" and (self.tcp_flags or self.payload):
            raise bad_input(
                "protocol", "udp", why="flags and a marked payload are TCP's here",
                allowed='protocol = "tcp" with them', do="correct one of the two",
            )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is offered to the device under test."""

    frame_mix: tuple[tuple[int, int], ...]
    """Pairs (weight, frame_bytes); one pair for a fixed size, three for the simple IMIX."""
    arrivals: Arrivals
    """Arrival process."""
    offered_mpps: float
    """Intended rate over all queues; inf when flooding."""
    burst_packets: int = 1
    """Packets of one burst when ``arrivals`` is ``burst``, else 1."""
    flows: int = 1
    """Distinct UDP source ports, used in turn."""
    packet: Packet = Packet()
    """What each packet is."""
    generator: Generator = "live_frames"
    """What sends."""
    pings_per_second: float = 0.0
    """Echo requests beside the load, or all of it where ``generator`` is ``ping``."""

    def __post_init__(self) -> None:
        if not self.offered_mpps > 0.0:
            raise bad_input(
                "offered_mpps",
                self.offered_mpps,
                why="a load needs a positive rate",
                allowed="> 0, or inf to flood",
                do="correct the rate",
            )
        if math.isinf(self.offered_mpps) != (self.arrivals == "flood"):
            raise bad_input(
                "arrivals",
                self.arrivals,
                why=f"it does not go with offered_mpps={self.offered_mpps}",
                allowed="flood with inf, every other with a finite rate",
                do="name one of the two otherwise",
            )
        numbers = [number for pair in self.frame_mix for number in pair]
        if not numbers or not 1 <= min(numbers) <= max(numbers) <= MIX_MAX:
            raise bad_input("frame_mix", self.frame_mix, why="it is not a mix of frames",
                            allowed=f"pairs of weight and bytes, 1..{MIX_MAX} each",
                            do="correct it")  # fmt: skip

    @property
    def frame_bytes(self) -> float:
        """Mean frame size with FCS.

        >>> Load(frame_mix=((1, 64), (1, 128)), arrivals="flood", offered_mpps=math.inf).frame_bytes
        96.0
        """
        weights = sum(weight for weight, _ in self.frame_mix)
        return sum(weight * size for weight, size in self.frame_mix) / weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of factors."""

    lab: str
    """Where packets run: ``veth``, ``dpdk`` or ``nic``."""
    mode: Mode
    datapath: str
    """Hook and driver path."""
    program: str
    """Name of the program under test, without suffix."""
    memory_accesses: int
    """Accesses a packet asks for: map lookups, or copies of six bytes on AF_XDP."""
    queues: int
    """Receive queues, each served by one core."""
    link_gbps: float
    """Link speed that the offered load imitates; inf for none."""
    load: Load
    operations: tuple[tuple[str, int], ...] = ()
    """Pairs (kind, times a packet) of what the program does beside ``memory_accesses``."""
    working_set_bytes: int = 0
    """Memory of each table that the lookups of one queue range over; 0 for a single entry."""
    settings: Settings = ()
    """Those of its datapath, as ``linerate.settings`` writes and reads them."""

    @property
    def line_rate_mpps(self) -> float:
        """Most frames of this size that the link carries."""
        from linerate.units import line_rate_mpps  # numpy is slow to load, for a list of columns

        return float(line_rate_mpps(self.link_gbps, self.load.frame_bytes))
