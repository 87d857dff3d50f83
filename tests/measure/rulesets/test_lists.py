"""Which packets come behind others that they cannot be led on with."""

import pytest

from linerate.measure.objects.traffic.frames import frames_in_order
from linerate.measure.rulesets.follow import follow
from linerate.measure.rulesets.lists import OTHER_DESTINATION, OTHER_PROTOCOL, changes_of
from linerate.measure.rulesets.ruleset import Chain, Rule, Ruleset
from linerate.measure.rulesets.steps import Decide
from linerate.measure.rulesets.verdict import Verdict

from .. import arriving

A, OF_PORT_B = (
    arriving.ipv4(arriving.UDP, arriving.udp()),
    arriving.ipv4(arriving.TCP, arriving.tcp()),
)
B = arriving.ipv4(arriving.UDP, arriving.udp(), destination="10.2.0.9")
V6, ARP = arriving.ipv6(arriving.UDP, arriving.udp()), arriving.arp()
INPUT, EARLY = ("ingress", "prerouting", "input"), ("ingress", "prerouting")
FORWARD = ("ingress", "prerouting", "forward")
TO_OTHER, BY_OTHER = OTHER_DESTINATION["input"], OTHER_DESTINATION["forward"]
BOTH = (OTHER_PROTOCOL, TO_OTHER)


def counted(packets, hooks=INPUT, left_out=()):
    frames = frames_in_order(packets, len(packets))
    reached = {place: hooks for place, packet in enumerate(frames.packets)
               if packet not in left_out}  # fmt: skip
    found = changes_of(frames, reached)
    return {frames.packets[place]: dict(times) for place, times in found.items()}


def test_packets_to_one_address_go_together_whatever_else_they_are():
    assert counted([A, OF_PORT_B]) == {A: {(): 1}, OF_PORT_B: {(): 1}}


def test_another_address_begins_another_list_behind_routing():
    assert counted([A, A, B]) == {
        A: {(TO_OTHER,): 1, (): 1}, B: {(TO_OTHER,): 1},
    }  # fmt: skip
    assert counted([A, B], FORWARD) == {A: {(BY_OTHER,): 1}, B: {(BY_OTHER,): 1}}
    assert counted([A, B], EARLY) == {A: {(): 1}, B: {(): 1}}


def test_another_protocol_begins_another_list_of_both_kinds():
    assert counted([A, A, A, V6]) == {A: {BOTH: 1, (): 2}, V6: {BOTH: 1}}
    assert counted([A, V6], EARLY) == {A: {(OTHER_PROTOCOL,): 1}, V6: {(OTHER_PROTOCOL,): 1}}


def test_what_was_dropped_before_parts_nothing():
    assert counted([A, V6, A], left_out=(V6,)) == {A: {(): 2}}


@pytest.mark.parametrize(
    ("hook", "changes"), [("ingress", 0.0), ("prerouting", 2.0), ("input", 4.0)]
)
def test_a_packet_that_is_followed_has_them_among_its_operations(hook, changes):
    """Of IPv4 two to each of two addresses, then one of ARP: twice another protocol."""
    stop = Rule(name="c 1", text="", steps=(Decide(Verdict("drop")),))
    family = "netdev" if hook == "ingress" else "inet"
    chain = Chain(family=family, table="t", name="c", rules=(stop,), hook=hook)
    ruleset = Ruleset(datapath="nftables", chains={(family, "t", "c"): chain})
    ways, _ = follow(ruleset, frames_in_order([A, A, B, B, ARP], 5), hook)
    times = sum(5 * way.share * count for way in ways for kind, count in way.operations
                if kind in BOTH)  # fmt: skip
    assert times == pytest.approx(changes)
    assert sum(way.share for way in ways) == pytest.approx(1.0)
