"""Packets that shall be first of their flows are of different ones as the stack takes them."""

import pytest

from linerate.measure.datapaths.filters.own.first_packets import TOGETHER, each_first
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.objects.traffic.frames import FRAMES_MAX, frames_by_weight, frames_in_order
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.ruleset import Hook
from linerate.measure.rulesets.source import parse_source

from ..arriving import ECHO, ICMP, TCP, UDP, ipv4, ipv6, tcp, udp

pytestmark = pytest.mark.root
RULES = "table inet t {{\n chain c {{\n  type filter hook {} priority 0;\n  {}\n }}\n}}\n"


@pytest.fixture
def tested(tmp_path):
    def build(hook: Hook = "forward", rule="ct state invalid drop", established=0.0):
        source = parse_source(tmp_path / "a.nft", RULES.format(hook, rule))
        return RulesetUnderTest(source=source, ruleset=load_source(source), last=hook,
                                established=established)  # fmt: skip

    return build


def ports(frames):
    packets = [parse_packet(frames.packets[place]) for place in frames.order]
    return [packet.bits("th", 0, 16) for packet in packets]


@pytest.mark.parametrize(
    "packet", [ipv4(UDP, udp(500, 9)), ipv4(TCP, tcp(500)), ipv6(UDP, udp(500, 9))]
)
def test_one_frame_becomes_as_many_flows_as_the_stack_takes_at_once(tested, packet):
    found = each_first(frames_by_weight([(packet, 1)]), tested())
    assert ports(found) == [500 + turn for turn in range(TOGETHER)]
    at = parse_packet(packet).transport
    assert at is not None
    assert {frame[:at] + frame[at + 2 :] for frame in found.packets} == {
        packet[:at] + packet[at + 2 :]
    }


def test_frames_keep_their_order_and_their_shares(tested):
    long, short = ipv4(UDP, udp(1, 9) + bytes(99)), ipv4(UDP, udp(1, 9))
    found = each_first(frames_in_order([long, short, short], 3), tested())
    sizes = [len(found.packets[place]) for place in found.order]
    assert sizes == [len(long), 60, 60] * (len(sizes) // 3)
    assert all(len(set(ports(found)[at : at + TOGETHER])) == TOGETHER
               for at in range(len(sizes) - TOGETHER))  # fmt: skip


def test_a_port_stays_one(tested):
    found = each_first(frames_by_weight([(ipv4(UDP, udp(65533, 9)), 1)]), tested())
    assert ports(found) == [65533, 65534, 65535, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("asked", [
    {"hook": "input"}, {"established": 1.0}, {"rule": "udp dport 9 drop"},
    {"rule": "ct state new udp sport 500 accept"},
], ids=["not so far", "all are known", "nobody tracks", "a rule looks at it"])  # fmt: skip
def test_frames_stay_as_they_are_where_nothing_needs_it(tested, asked):
    frames = frames_by_weight([(ipv4(UDP, udp(500, 9)), 1)])
    assert each_first(frames, tested(**asked)) is frames


@pytest.mark.parametrize("packets", [
    [ipv4(UDP, udp(port, 9)) for port in range(1, TOGETHER + 1)],
    [ipv6(UDP, udp(1, 9), source=f"2001:{place:x}::1") for place in range(1, TOGETHER + 1)],
    [ipv4(ICMP, ECHO)],
    [ipv4(UDP, udp(port, 9)) for port in range(1, FRAMES_MAX)] + [ipv4(UDP, udp(1, 9))],
], ids=["different flows", "different networks", "no ports", "too many"])  # fmt: skip
def test_what_need_not_or_cannot_be_changed_stays(tested, packets):
    frames = frames_in_order(packets, len(packets))
    assert each_first(frames, tested()) is frames
