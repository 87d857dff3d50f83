"""Packets whose addresses are translated, that are marked, or not tracked, as rules have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from linerate.measure.objects.traffic.frames import frames_by_weight
from linerate.measure.rulesets.follow import follow, operations_of
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.ruleset import Hook
from linerate.measure.rulesets.source import parse_source
from linerate.measure.rulesets.walk import Walk, walk

from ..arriving import TCP, UDP, ipv4, tcp, udp

pytestmark = pytest.mark.root
ROUTER = """
table ip nat {
  chain to {
    type nat hook prerouting priority dstnat;
    tcp dport 80 dnat to 10.0.0.2:8080
    tcp dport 81 counter
    tcp dport 82 redirect to :8082
  }
  chain from {
    type nat hook postrouting priority srcnat;
    ip saddr 192.168.0.0/16 masquerade
  }
}
table ip filter {
  chain forwarded {
    type filter hook forward priority 0; policy drop;
    ct state established accept
    ip daddr 10.0.0.2 tcp dport 8080 accept
  }
}
"""
SET_UP = ("nat_new", "nat_known", "mapping", "masquerade", "entered")
SEEN = " set seen {\n  type ipv4_addr; size 99; flags dynamic,timeout; timeout 1m;\n }\n"
EARLY = "table ip t {{\n{}\n chain c {{\n  type filter hook prerouting priority 0;\n  {}\n }}\n}}\n"
KUBERNETES = """*nat
:PREROUTING ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:MARK-MASQ - [0:0]
-A PREROUTING -d 10.96.0.10/32 -j MARK-MASQ
-A PREROUTING -d 10.96.0.10/32 -j DNAT --to-destination 10.244.0.2
-A POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A POSTROUTING -j MASQUERADE --random-fully
-A MARK-MASQ -j MARK --or-mark 0x4000
COMMIT
"""


def walked(text: str, packet: bytes, *, known: bool = False, last: Hook = "forward",
           name: str = "a.nft") -> Walk:  # fmt: skip
    ruleset = load_source(parse_source(Path(name), text))
    return walk(ruleset, parse_packet(packet), last, established=known)


def to_port(port: int, source: str = "198.18.0.1") -> bytes:
    return ipv4(TCP, tcp(destination=port), source=source)


def test_rules_behind_nat_see_the_address_that_a_packet_was_given() -> None:
    assert walked(ROUTER, to_port(80)).decided_by == "forwarded 2"
    assert walked(ROUTER, to_port(81)).decided_by == "policy of forwarded"


def test_only_the_first_packet_of_a_flow_meets_chains_of_nat() -> None:
    first, known = (walked(ROUTER, to_port(80, "192.168.0.9"), known=known)
                    for known in (False, True))  # fmt: skip
    assert (first.counts["rule"], known.counts["rule"]) == (2 + 1 + 1, 1)
    assert {kind: first.counts[kind] for kind in SET_UP} == {
        "nat_new": 2, "nat_known": 0, "mapping": 2, "masquerade": 1, "entered": 1,
    }  # fmt: skip
    assert {kind: known.counts[kind] for kind in SET_UP} == {
        "nat_new": 0, "nat_known": 2, "mapping": 0, "masquerade": 0, "entered": 0,
    }  # fmt: skip
    for way in (first, known):
        assert set(way.translations) == {"source", "destination"}
        assert way.counts["translated_source"] == way.counts["translated_destination"] == 1


def test_what_no_rule_translates_still_comes_by_where_it_is_done() -> None:
    way = walked(ROUTER, to_port(81))
    assert (way.counts["nat_new"], way.counts["mapping"], way.counts["count"]) == (1, 0, 1)
    assert not way.translations


def test_a_redirected_packet_is_for_the_host_itself() -> None:
    to = walked(ROUTER, to_port(82), last="input").translations["destination"]
    assert (to.to_host, to.address, to.port) == (True, None, 8082)


def test_kubernetes_has_its_marks_decide_what_is_masqueraded() -> None:
    service = ipv4(UDP, udp(), destination="10.96.0.10")
    found = walked(KUBERNETES, service, name="a.rules")
    assert set(found.translations) == {"source", "destination"}
    assert not walked(KUBERNETES, ipv4(UDP, udp()), name="a.rules").translations
    assert not found.strange


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        ("meta mark set mark and 0xff or 0x10", {"set_meta": 1}),
        ("ct mark set 7", {"set_ct": 1, "conntrack": 1}),
        ("meta mark set ct mark", {"set_meta": 1, "conntrack": 1}),
        ("ip dscp set cs1 ip ttl set 9", {"set_field": 2}),
        ("tcp option maxseg size set 1400", {"set_option": 1}),
        ("update @seen { ip saddr limit rate over 5/second }", {"set_update": 1, "limit": 1}),
        ("fib saddr . iif oif missing drop", {"route_back": 1}),
        ("notrack", {"set_meta": 1}),
    ],
)
def test_what_rules_change_has_a_kind_of_its_own(statement: str, kinds: dict[str, int]) -> None:
    way = walked(EARLY.format(SEEN, statement), ipv4(TCP, tcp()), last="prerouting")
    assert {kind: way.counts[kind] for kind in kinds} == kinds
    assert not way.strange


def test_sources_over_the_limit_of_their_set_are_dropped_and_others_are_not() -> None:
    update = "update @seen {{ ip saddr limit rate {} 5/second }} drop"
    ends = [walked(EARLY.format(SEEN, update.format(rate)), ipv4(UDP, udp()), last="prerouting").end
            for rate in ("over", "")]  # fmt: skip
    assert ends == ["drop", "accept"]


def test_what_is_not_tracked_is_neither_known_nor_new() -> None:
    raw = " chain r {\n  type filter hook prerouting priority raw;\n  notrack\n }\n"
    text = EARLY.format(raw, "ct state untracked accept") + ROUTER
    way = walked(text, to_port(80), last="prerouting")
    assert (way.decided_by, way.counts["conntrack"], way.counts["nat_new"]) == ("c 1", 0, 0)
    assert not way.translations


def test_where_an_address_is_looked_up_it_is_not_understood() -> None:
    text = ROUTER.replace("tcp dport 81 counter", "dnat to ip saddr map { 198.18.0.1 : 10.0.0.3 }")
    way = walked(text, to_port(81))
    assert dict(way.strange) == {"dnat to what is looked up": 1}


def test_a_chain_behind_routing_out_may_drop_what_is_forwarded() -> None:
    text = ROUTER + ("table ip late {\n chain c {\n  type filter hook postrouting priority 300;\n"
                     "  ip saddr 192.168.0.0/16 drop\n  tcp dport 8080 drop\n }\n}\n")  # fmt: skip
    way = walked(text, to_port(80))
    assert (way.end, way.hook, way.decided_by) == ("drop", "forward", "c 2")
    operations = dict(operations_of("nftables", way, 60))
    assert operations["to_forward"] == 1
    assert "forwarded" not in operations


def test_data_of_tcp_is_tracked_by_its_own_cost() -> None:
    kinds = [walked(ROUTER, to_port(80), known=known).counts for known in (False, True)]
    assert (kinds[0]["conntrack_tcp"], kinds[1]["tracked_tcp"]) == (1, 1)
    assert walked(ROUTER, ipv4(UDP, udp())).counts["conntrack_tcp"] == 0


def test_a_ruleset_of_nat_alone_is_asked_at_forward() -> None:
    text = ROUTER[: ROUTER.index("table ip filter")]
    ruleset = load_source(parse_source(Path("a.nft"), text))
    assert (ruleset.last_hook, ruleset.hooks) == ("forward", ("prerouting", "forward"))
    ways, _ = follow(ruleset, frames_by_weight([(to_port(80), 1)]), "forward", 0.5)
    assert [way.walk.end for way in ways] == ["accept", "accept"]
