"""The load of a ruleset's lab: the generator's frames, and its flows as answered before."""

from __future__ import annotations

import struct
from dataclasses import replace
from ipaddress import IPv4Address

from linerate.cells import TCP_FLAGS, Cell, Load
from linerate.measure.datapaths.filters.lab import DUT, GENERATOR
from linerate.measure.datapaths.filters.own.netlink import establish
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_slots

PORT_FIRST, DISCARD = 1024, 9
"""Source port of the generator's first flow, and the port that all go to."""
_PROTOCOL_AT, _TCP, _TRANSPORT_AT = 23, 6, 34


def frames_of(load: Load) -> Frames:
    """Build the frames that the generator sends, as far as rules look at them."""
    slots = [size for weight, size in load.frame_mix for _ in range(weight)]
    frames = of_slots(slots, load.flows)
    if load.packet.protocol == "udp":
        return frames
    flags = sum(1 << TCP_FLAGS.index(letter) for letter in load.packet.tcp_flags)
    return replace(frames, packets=tuple(_as_tcp(packet, flags) for packet in frames.packets))


def _as_tcp(packet: bytes, flags: int) -> bytes:
    """Put a TCP header where that of UDP is; its ports stand where they stood."""
    ports = packet[_TRANSPORT_AT : _TRANSPORT_AT + 4]
    header = ports + struct.pack("!IIBBHHH", 0, 0, 0x50, flags, 0xFFFF, 0, 0)
    ip = packet[:_PROTOCOL_AT] + bytes([_TCP]) + packet[_PROTOCOL_AT + 1 : _TRANSPORT_AT]
    return ip + header + packet[_TRANSPORT_AT + len(header) :]


def lay_out_flows(lab: VethLab, cell: Cell) -> None:
    """Write down the flows of a cell's load as answered before."""
    source, destination = (IPv4Address(end.address.split("/")[0]) for end in (GENERATOR, DUT))
    establish(lab.dut.path, [
        (source, PORT_FIRST + flow, destination, DISCARD) for flow in range(cell.load.flows)
    ])  # fmt: skip
