"""Rulesets run on a user's frames: packets end where they are followed to, and take time."""

from dataclasses import replace
from functools import partial
from math import inf

import pytest

from linerate.cells import Load, Packet
from linerate.errors import DeviceFailedError
from linerate.measure.datapaths.filters.own import test_run as runs
from linerate.measure.datapaths.filters.own.arrival import addressed
from linerate.measure.datapaths.filters.own.first_packets import each_first
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.load import frames_of
from linerate.measure.datapaths.filters.own.passed import Left
from linerate.measure.datapaths.filters.own.test_run import why_not_run
from linerate.measure.datapaths.filters.own.tracking import flows_of
from linerate.measure.objects.plan import frames_file
from linerate.measure.objects.traffic.frames import frames_by_weight
from linerate.measure.objects.traffic.udp_frames import internet_checksum, of_size
from linerate.measure.rulesets.follow import PASSED, follow, shares_at
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.source import Interfaces, parse_source

from .. import arriving
from ..arriving import ICMP, SYN, TCP, UDP, ipv4, tcp, udp

CHAIN = """table {family} t {{
  chain c {{
    type filter hook {hook} priority 0; policy {policy};
    {rules}
  }}
}}
"""
RULES = "tcp dport 22 drop\n    ip daddr 192.0.2.0/24 drop\n    udp dport 9 drop"
STATES = "ct state established accept\n    tcp dport 80 accept"
SAVED = """*filter
:INPUT DROP [0:0]
-A INPUT -p icmp -j ACCEPT
-A INPUT -p tcp -m tcp --dport 80 -j ACCEPT
COMMIT
"""
FAMILIES = {"ingress": "netdev", "prerouting": "inet", "input": "inet", "forward": "inet"}


@pytest.fixture
def tested(tmp_path):
    def build(hook, rules=RULES, policy="accept", name="a.nft", **asked):
        where = f'{hook} device "lan0"' if hook == "ingress" else hook
        text = rules if name.endswith(".rules") else CHAIN.format(
            family=FAMILIES[hook], hook=where, policy=policy, rules=rules)  # fmt: skip
        source = parse_source(tmp_path / name, text)
        return RulesetUnderTest(source=source, ruleset=load_source(source), last=hook, **asked)

    return build


@pytest.fixture
def translating(tmp_path):
    """Build rules beside chains of nat that translate what a packet is for, or where it is from."""

    def build(hook, text, to="", source=""):
        for place, priority, rules in (("prerouting", "dstnat", to),
                                       ("postrouting", "srcnat", source)):  # fmt: skip
            chain = CHAIN.format(family="ip", hook=place, policy="accept", rules=rules)
            chain = chain.replace("filter", "nat").replace("table ip t", f"table ip {place}")
            text += chain.replace("priority 0", f"priority {priority}")
        source = parse_source(tmp_path / "a.nft", text)
        return RulesetUnderTest(source=source, ruleset=load_source(source), last=hook)

    return build


def arrived(tested, frames):
    """Shares of packets at each hook, in a load whose time may be anything."""
    arriving_frames = each_first(addressed(frames), tested)
    with frames_file(arriving_frames) as path:
        return runs._run_load(tested, runs._Replay(arriving_frames, path), counted=True).came


@pytest.mark.root
@pytest.mark.parametrize("hook", FAMILIES)
def test_packets_of_all_kinds_end_where_they_are_followed_to(tested, hook):
    ruled, frames = tested(hook), arriving.mixed()
    ways, _ = follow(ruled.ruleset, frames, hook)
    came = arrived(ruled, frames)
    assert came == pytest.approx(shares_at(ways, hook), abs=0.005)
    assert 0.5 < came[PASSED] < 0.8


@pytest.mark.root
def test_packets_come_in_and_leave_by_the_interfaces_that_rules_name(tested):
    rules = 'iif != "lan0" drop\n    oifname "wan0" udp dport 9 accept'
    plain = tested("forward", rules, "drop")
    named = replace(plain.source, interfaces=Interfaces(comes_by="lan0", leaves_by="wan0"))
    ruled = replace(plain, source=named, ruleset=load_source(named))
    for asked, passed in ((plain, 0.0), (ruled, 1.0)):
        frames = of_size(64)
        ways, _ = follow(asked.ruleset, frames, "forward")
        assert shares_at(ways, "forward")[PASSED] == passed
        assert arrived(asked, frames)[PASSED] == pytest.approx(passed, abs=0.005)


@pytest.mark.root
def test_what_iptables_accepts_passes(tested):
    ruled = tested("input", SAVED, name="a.rules")
    frames = frames_by_weight([(ipv4(ICMP, arriving.ECHO), 1), (ipv4(TCP, tcp()), 1),
                               (ipv4(UDP, udp()), 2)])  # fmt: skip
    assert arrived(ruled, frames)[PASSED] == pytest.approx(0.5, abs=0.005)


LIMITED = {
    "meter m { ip saddr limit rate over 9/second } drop": 0.0,
    "meter m { ip saddr limit rate 9/second } drop": 1.0,
    "ct count over 0 drop": 0.0,
    "quota over 9 bytes drop": 0.0,
    "-m hashlimit --hashlimit-above 9/sec --hashlimit-mode srcip --hashlimit-name h -j DROP": 0.0,
    "-m hashlimit --hashlimit-upto 9/sec --hashlimit-mode srcip --hashlimit-name h -j DROP": 1.0,
    "-m connlimit --connlimit-above 0 -j DROP": 0.0,
    "-m recent --set --name s\n-A INPUT -m recent --update --hitcount 4 --name s -j DROP": 0.0,
}
"""Rules with the share of a flood that they let through."""


@pytest.mark.root
@pytest.mark.parametrize("rules", LIMITED)
def test_a_flood_uses_limits_up_as_it_is_taken_to(tested, rules):
    saved = f"*filter\n:INPUT ACCEPT [0:0]\n-A INPUT {rules}\nCOMMIT\n"
    ruled = tested("input", *((saved, "accept", "a.rules") if rules[0] == "-" else (rules,)))
    frames = of_size(64)
    ways, _ = follow(ruled.ruleset, frames, "input")
    assert shares_at(ways, "input")[PASSED] == LIMITED[rules]
    assert arrived(ruled, frames)[PASSED] == pytest.approx(LIMITED[rules], abs=0.005)


@pytest.mark.root
@pytest.mark.parametrize(("established", "passed"), [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0)])
def test_flows_are_known_as_often_as_it_is_said(tested, established, passed):
    ruled = tested("input", "ct state established accept", "drop", established=established)
    frames = frames_by_weight([(ipv4(UDP, udp()), 1), (ipv4(TCP, tcp(destination=443)), 1)])
    assert arrived(ruled, frames)[PASSED] == pytest.approx(passed, abs=0.005)


@pytest.mark.root
@pytest.mark.parametrize(("established", "passed"), [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)])
def test_every_forwarded_packet_is_the_first_of_its_flow_but_for_known_ones(
    tested, established, passed
):
    ruled = tested("forward", "ct state established drop", established=established)
    frames = frames_by_weight([(ipv4(UDP, udp()), 1), (ipv4(TCP, tcp(destination=443)), 1)])
    ways, _ = follow(ruled.ruleset, frames, "forward", established)
    assert shares_at(ways, "forward")[PASSED] == pytest.approx(passed)
    assert arrived(ruled, frames)[PASSED] == pytest.approx(passed, abs=0.005)


@pytest.mark.root
@pytest.mark.parametrize("established", [0.0, 1.0], ids=["first packets", "known flows"])
@pytest.mark.parametrize(("hook", "rules", "passed"), [
    ("forward", ("dnat to 10.0.0.2", "ip daddr 10.0.0.2"), (0.0, 0.0)),
    ("forward", ("udp dport 9 dnat to 10.0.0.2:99", "ip daddr 10.0.0.2 udp dport 99"), (0.0, 0.0)),
    ("forward", ("meta mark set 5", "ct state new,established meta mark 5"), (0.0, 1.0)),
    ("forward", ("meta mark set 5", "meta mark 5"), (1.0, 1.0)),  # nobody tracks
    ("input", ("dnat to 198.19.0.77", "ip daddr 198.19.0.77"), (0.0, 0.0)),
    ("input", ("udp dport 9 redirect to :99", "udp dport 99"), (0.0, 0.0)),
    ("input", ("dnat to 198.19.0.77", "ct status dnat"), (0.0, 0.0)),
])  # fmt: skip
def test_rules_see_what_chains_of_nat_made_of_a_packet(
    translating, hook, rules, passed, established
):
    """Only the first packet of a flow met these, in the kernel as here."""
    translates, sees = rules
    share = passed[int(established)]
    text = CHAIN.format(family="ip", hook=hook, policy="accept", rules=f"{sees} drop")
    ruled = replace(translating(hook, text, to=translates), established=established)
    frames = frames_by_weight([(ipv4(UDP, udp(1, 9)), 1)])
    ways, _ = follow(ruled.ruleset, frames, hook, established)
    assert shares_at(ways, hook)[PASSED] == share
    assert arrived(ruled, frames)[PASSED] == pytest.approx(share, abs=0.005)


@pytest.mark.root
@pytest.mark.parametrize("rules", ["masquerade", "snat to 203.0.113.7", "counter"])
def test_what_is_forwarded_leaves_whoever_it_is_for(translating, rules):
    """Hosts behind the router are all reached, and their number is no load of ARP."""
    ruled = translating("forward", "", source=rules)
    frames = addressed(frames_by_weight([
        (ipv4(UDP, udp(), destination=each), 1)
        for each in ("198.19.0.1", "198.19.7.7", "198.18.0.9", "192.0.2.1", "8.8.8.8")
    ]))  # fmt: skip
    cell = runs._cell(frames)
    with (
        frames_file(frames) as path,
        runs.open_arrival_lab(cell, runs.destinations_of(frames, ruled), "forward") as lab,
        runs.rules_in(lab, ruled.source, "forward"),
    ):
        runs.forget_flows(lab)
        before = Left.by(lab).count()
        sent = runs._send(lab, runs._Replay(frames, path), "forward", 0.05, warm_up_seconds=0.0)
        left = Left.by(lab).count() - before
    assert left == pytest.approx(sent.sent, abs=0.005 * sent.sent)
    assert sent.received == pytest.approx(sent.sent, abs=0.005 * sent.sent)


@pytest.mark.root
@pytest.mark.exclusive
def test_more_rules_take_longer_and_each_load_is_told(tested, told_loads):
    short, long = (tested("input", "\n".join(["ip saddr 192.0.2.1 drop"] * rules))
                   for rules in (1, 300))  # fmt: skip
    run, told = told_loads(partial(runs.time_ruleset, short, of_size(64)))
    longer, _ = told_loads(partial(runs.time_ruleset, long, of_size(64)))
    assert told == [*range(runs.LOADS + 1)]
    assert max(run.ran_ns) < min(longer.ran_ns)
    assert len(longer.ran_ns) <= runs.LOADS


@pytest.mark.root
def test_rules_that_the_kernel_refuses_do_not_run(tested):
    ruled = tested("input")
    text = ruled.source.text.replace("udp dport 9 drop", "jump nobody")
    with pytest.raises(DeviceFailedError, match="nft"):
        arrived(replace(ruled, source=replace(ruled.source, text=text)), of_size(64))


def test_frames_go_to_the_device_whoever_they_were_for():
    frames = addressed(arriving.mixed())
    assert {packet[:6].hex() for packet in frames.packets} == {"020000000002"}
    assert frames.order == arriving.mixed().order


def test_both_directions_of_a_flow_are_one():
    there = ipv4(UDP, udp(1, 2), source="10.0.0.1", destination="10.0.0.2")
    back = ipv4(UDP, udp(2, 1), source="10.0.0.2", destination="10.0.0.1")
    (flow,) = flows_of(frames_by_weight([(there, 1), (back, 1)]))
    assert (str(flow.source), flow.source_port, flow.destination_port) == ("10.0.0.1", 1, 2)


@pytest.mark.parametrize("packet", [
    ipv4(TCP, tcp(flags=SYN)), ipv4(ICMP, arriving.ECHO), arriving.ipv6(UDP, udp()),
    arriving.arp(),
], ids=["opens", "icmp", "ipv6", "arp"])  # fmt: skip
def test_what_no_known_flow_has_is_none(packet):
    good = ipv4(UDP, udp())
    assert flows_of(frames_by_weight([(good, 1), (packet, 1)])) == ()


@pytest.mark.root
def test_why_it_cannot_run_is_said(tested):
    known = tested("input", STATES, "drop", established=0.5)
    assert why_not_run(known, of_size(64)) == ""
    assert "UDP or TCP over IPv4" in why_not_run(known, arriving.mixed())
    forwarded = tested("forward", STATES)
    assert why_not_run(forwarded, arriving.mixed()) == ""


def test_frames_of_tcp_have_right_checksums():
    packet = Packet(protocol="tcp", tcp_flags="S")
    load = Load(frame_mix=((1, 90),), arrivals="flood", offered_mpps=inf, packet=packet)
    (frame,) = frames_of(load).packets
    assert frame[23] == TCP
    length = len(frame) - 34
    pseudo = frame[26:34] + bytes([0, TCP]) + length.to_bytes(2)
    assert internet_checksum(frame[14:34]) == b"\xff\xff"
    assert internet_checksum(pseudo + frame[34:]) == b"\xff\xff"
