"""Frames as they arrive at the device under test, byte by byte."""

import math
import struct
from collections import Counter

import pytest

from linerate.cells import Cell, Load
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.trials.bench import Timing
from linerate.units import FCS_BYTES

from ...frames import captured, sum_of_words

pytestmark = pytest.mark.root

WANTED = 120
IMIX = ((7, 64), (4, 594), (1, 1518))


def frames(frame_mix, flows=1):
    """Send one frame a time and return what came in."""
    cell = Cell(
        lab="veth", mode="serial", datapath="xdp_generic", program="xdp_tx", memory_accesses=0,
        queues=1, link_gbps=math.inf,
        load=Load(frame_mix=frame_mix, arrivals="constant", offered_mpps=0.002, flows=flows),
    )  # fmt: skip
    timing = Timing(warm_up_seconds=0.02, seconds=0.15)
    with open_veth_lab("serial", 1, gro=True) as lab:
        return captured(lab, WANTED, lambda: send_live_frames(lab, cell, timing, ()))


def check_frame(packet):
    assert packet[:12] == bytes.fromhex("020000000002020000000001")
    assert packet[12:14] == b"\x08\x00"
    header = packet[14:34]
    assert header[0] == 0x45, "IPv4 without options"
    assert sum_of_words(header) == 0xFFFF
    assert header[9] == 17, "UDP"
    assert struct.unpack("!H", header[2:4])[0] == len(packet) - 14
    assert {header[12:14], header[16:18]} == {b"\xc6\x12", b"\xc6\x13"}, "RFC 2544, C.2.2"
    destination, udp_bytes, checksum = struct.unpack("!3H", packet[36:42])
    assert (destination, udp_bytes) == (9, len(packet) - 34)
    assert checksum == 0, "none, as RFC 768 allows over IPv4"


@pytest.mark.parametrize("frame_bytes", [64, 65, 594, 1518])
def test_a_frame_has_its_size_and_right_headers(frame_bytes):
    packets = frames(((1, frame_bytes),))
    assert len(packets) == WANTED
    assert {len(packet) + FCS_BYTES for packet in packets} == {frame_bytes}
    for packet in packets:
        check_frame(packet)


def test_a_mix_has_each_size_in_its_share_and_right_headers():
    packets = frames(IMIX)
    sizes = Counter(len(packet) + FCS_BYTES for packet in packets)
    slots = sum(weight for weight, _ in IMIX)
    assert sizes == {size: weight * WANTED // slots for weight, size in IMIX}
    for packet in packets:
        check_frame(packet)


def test_flows_are_source_ports_in_turn():
    ports = [struct.unpack("!H", packet[34:36])[0] for packet in frames(((1, 64),), flows=3)]
    assert set(ports) == {1024, 1025, 1026}
    assert ports == [ports[0], ports[1], ports[2]] * (WANTED // 3)
