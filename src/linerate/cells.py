"""What is measured: a cell, the load that is offered to it, and the settings of its datapath."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from linerate.errors import bad_input
from linerate.units import line_rate_mpps

Arrivals = Literal["flood", "constant", "poisson", "burst"]
"""How packets are spread in time: as fast as possible, evenly, by exponential gaps, in bursts."""
Mode = Literal["serial", "split"]
"""Where the device under test runs: behind the generator on its core, or on a core of its own."""
Generator = Literal["live_frames", "hping3", "ping"]
"""What sends: linerate's own generator, the tool of Sampaio (2017), or echo requests alone."""

TCP_FLAGS = "FSRPAU"
"""Letters that a packet's ``tcp_flags`` may hold, as tcpdump writes them."""


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
                "tcp_flags", self.tcp_flags, why="a letter is no TCP flag",
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

    @property
    def frame_bytes(self) -> float:
        """Mean frame size with FCS.

        >>> Load(frame_mix=((1, 64), (1, 128)), arrivals="flood", offered_mpps=math.inf).frame_bytes
        96.0
        """
        weights = sum(weight for weight, _ in self.frame_mix)
        return sum(weight * size for weight, size in self.frame_mix) / weights


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketSettings:
    """How an AF_XDP socket is fed and read."""

    hook: Literal["native", "generic"] = "native"
    """XDP hook that redirects into the socket."""
    zero_copy: bool = False
    """Whether the driver shares the socket's memory; not every driver can."""
    need_wakeup: bool = True
    """Whether the kernel says when it wants a system call, and is spared the others."""
    busy_poll: bool = False
    """Whether the socket's thread runs the driver's poll itself."""
    batch_packets: int = 64
    """Most packets taken from a ring at once; fewer are never waited for."""
    sockets: Literal["per_queue", "queue_0"] = "per_queue"
    """One for each queue, or the single one of Capeletti (2022)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Where in the kernel a filter sits."""

    hook: Literal["ingress", "prerouting", "input"] = "prerouting"
    """Netfilter hook: at the device (nftables only), before everything else in the network stack
    (raw, priority -300), or after routing."""
    flavour: Literal["", "nft", "legacy", "module"] = ""
    """Of iptables, ``nft`` or ``legacy``; ``module`` for the kernel module of netfilter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSettings:
    """A chain of service functions with NSH (RFC 7665, RFC 8300)."""

    length: int = 1
    """Service functions between source and destination."""
    topology: Literal["direct", "hub"] = "direct"
    """Whether functions send to each other, or each hop passes one forwarder (star)."""
    function: Literal["raw_socket", "af_xdp", "tc"] = "raw_socket"
    """What a function is: a process on a raw or AF_XDP socket, or a program of tc."""
    nsh_aware: bool = False
    """Whether the function reads NSH itself, so that nothing is taken off and put back."""
    metadata_type: Literal[1, 2] = 1
    """NSH MD type: fixed 16 bytes of context, or of variable length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSettings:
    """How a pipeline of DPDK's SWX is fed and run; it has as many lcores as there are queues."""

    port: Literal["net_null", "ring", "memif", "af_xdp", "pci"] = "ring"
    """Where packets come from: the lcore itself (only the service time counts), the generator by
    rings or by a shared-memory device, the veth lab by AF_XDP sockets, or a network card."""
    device: str = ""
    """PCI address of the card, only of port ``pci``."""
    burst_packets: int = 32
    """Packets taken from a port, and given to one, at once."""
    hugepages: bool = False
    """Whether DPDK's memory is in hugepages."""
    memory_channels: int = 0
    """Memory channels that DPDK spreads its objects over; 0: it decides."""
    oversubscribed: bool = False
    """Whether lcores may share cores."""
    table_entries: int = 1024
    """Entries of each table of a generated program, one for each of the first flows."""
    registers: int = 1024
    """Registers of a generated program, of 8 bytes, over which the flows are spread."""
    tables: tuple[tuple[str, str], ...] = ()
    """Pairs (table, file with its entries) of the user's own program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of factors."""

    lab: str
    """Where packets run: ``veth``, ``dpdk`` or ``nic``."""
    mode: Mode
    datapath: str
    """Hook and driver path, one of ``runs.DATAPATHS``."""
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
    socket: SocketSettings | None = None
    """Only of ``af_xdp``."""
    filter: FilterSettings | None = None
    """Only of ``netfilter``, ``nftables`` and ``iptables``."""
    chain: ChainSettings | None = None
    """Only of ``chain``."""
    pipeline: PipelineSettings | None = None
    """Only of ``swx``."""

    @property
    def line_rate_mpps(self) -> float:
        """Most frames of this size that the link carries."""
        return float(line_rate_mpps(self.link_gbps, self.load.frame_bytes))
