"""The load of a ruleset's lab: the generator's own frames, and their flows."""

from __future__ import annotations

import struct
from dataclasses import replace
from ipaddress import IPv4Address

from linerate.cells import TCP_FLAGS, Load
from linerate.measure.datapaths.filters.lab import DUT, GENERATOR
from linerate.measure.datapaths.filters.own.netlink import TCP, UDP, Flow
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import internet_checksum, of_slots

PORT_FIRST, DISCARD = 1024, 9
"""Source port of the generator's first flow, and the port that all go to."""
_IP_AT, _TRANSPORT_AT = 14, 34
_PROTOCOL_AT, _IP_CHECKSUM = 9, slice(10, 12)
_ADDRESSES = slice(12, 20)
"""Of the network header."""
_TCP_CHECKSUM = slice(16, 18)


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
    ip = bytearray(packet[_IP_AT:_TRANSPORT_AT])
    ip[_PROTOCOL_AT] = TCP
    ip[_IP_CHECKSUM] = bytes(2)
    ip[_IP_CHECKSUM] = internet_checksum(bytes(ip))
    ports = packet[_TRANSPORT_AT : _TRANSPORT_AT + 4]
    tcp = bytearray(ports + struct.pack("!IIBBHHH", 0, 0, 0x50, flags, 0xFFFF, 0, 0))
    tcp += bytes(len(packet) - _TRANSPORT_AT - len(tcp))
    pseudo = bytes(ip[_ADDRESSES]) + struct.pack("!HH", TCP, len(tcp))
    tcp[_TCP_CHECKSUM] = internet_checksum(pseudo + bytes(tcp))
    return packet[:_IP_AT] + bytes(ip) + bytes(tcp)


def own_flows(load: Load) -> list[Flow]:
    """List the flows of the generator's own frames."""
    source, destination = (IPv4Address(end.address.split("/")[0]) for end in (GENERATOR, DUT))
    return [Flow(UDP, source, PORT_FIRST + flow, destination, DISCARD)
            for flow in range(load.flows)]  # fmt: skip
