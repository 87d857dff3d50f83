"""Rules that name interfaces, and rulesets as routers, Docker and Kubernetes have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from linerate.errors import BadInputError
from linerate.face.fits.rulesets import fits_ruleset
from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.ruleset import Hook, Ruleset
from linerate.measure.rulesets.source import UNNAMED, Interfaces, parse_source

pytestmark = pytest.mark.root
ROUTER = """
define WAN = eth0
define LAN = { lan1, lan2 }
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    iif "lo" accept
    iifname != "wlan*" udp dport 9 accept
  }
  chain forward {
    type filter hook forward priority 0; policy drop;
    iif $LAN oif $WAN accept
    iifname "eth0" oifname { lan1, lan2 } drop
  }
}
"""
NAT = """
table ip nat {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    oifname "eth0" masquerade
  }
}
"""
DOCKER = """*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:DOCKER - [0:0]
-A FORWARD -o docker0 -j DOCKER
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
-A DOCKER ! -i docker0 -o docker0 -p udp -m udp --dport 9 -j ACCEPT
COMMIT
*nat
:PREROUTING ACCEPT [0:0]
:SERVICE - [0:0]
-A PREROUTING -d 10.96.0.10/32 -p tcp -m tcp --dport 53 -j SERVICE
-A SERVICE -p tcp -m tcp -j DNAT --to-destination 10.244.0.2:53
COMMIT
"""


def loaded(text: str, named: Interfaces = UNNAMED, name: str = "a.nft") -> Ruleset:
    return load_source(replace(parse_source(Path(name), text), interfaces=named))


def way(ruleset: Ruleset, hook: Hook) -> Followed:
    (found,), _ = follow(ruleset, named_frames(64), hook)
    return found


@pytest.mark.parametrize(
    ("comes_by", "leaves_by", "hook", "decided_by"),
    [
        ("lan2", "eth0", "forward", "forward 1"),
        ("eth0", "lan1", "forward", "forward 2"),
        ("", "", "forward", "policy of forward"),
        ("lan1", "", "forward", "policy of forward"),
        ("", "", "input", "input 2"),
        ("lan1", "", "input", "input 2"),
        ("wlan0", "", "input", "policy of input"),
    ],
)
def test_packets_come_in_and_leave_by_the_interfaces_that_are_named(
    comes_by: str, leaves_by: str, hook: Hook, decided_by: str
) -> None:
    ruleset = loaded(ROUTER, Interfaces(comes_by=comes_by, leaves_by=leaves_by))
    found = way(ruleset, hook)
    assert found.walk.decided_by == decided_by
    assert not found.walk.strange
    assert set(ruleset.interface_names) == {"wlan*", "lan1", "lan2", "eth0"}


def test_docker_lets_in_what_comes_by_another_interface_than_its_own() -> None:
    ends = [way(loaded(DOCKER, Interfaces(comes_by=comes_by, leaves_by=leaves_by), "a.rules"),
                "forward").walk.decided_by
            for comes_by, leaves_by in (("eth0", "docker0"), ("docker0", "eth0"), ("eth0", "eth1"))
            ]  # fmt: skip
    assert ends == ["DOCKER 1", "FORWARD 2", "policy of FORWARD"]


def test_rules_that_translate_have_every_packet_tracked() -> None:
    plain, translating = loaded(ROUTER), loaded(ROUTER + NAT)
    assert "conntrack" not in way(plain, "forward").walk.counts
    found = way(translating, "forward")
    assert found.walk.counts["conntrack"] == 1
    assert not found.walk.strange
    assert not translating.left_out
    alone = way(loaded(ROUTER + NAT.replace("masquerade", "counter")), "forward").walk
    assert {"conntrack", "nat_new", "count"}.isdisjoint(+alone.counts)


def test_a_chain_at_the_ingress_of_the_loopback_is_read() -> None:
    text = "table netdev t {\n chain c { type filter hook ingress device lo priority 0;\n }\n}"
    assert loaded(text).hooks == ("ingress",)


def test_packets_come_by_the_interface_of_a_chain_at_ingress() -> None:
    ingress = (
        'table netdev n {\n chain c { type filter hook ingress device "lan1" priority 0;\n }\n}'
    )
    assert way(loaded(ROUTER + ingress), "input").walk.decided_by == "input 2"
    ruleset = loaded(ROUTER + ingress, Interfaces(leaves_by="eth0"))
    assert way(ruleset, "forward").walk.decided_by == "forward 1"


def test_the_answer_says_by_which_interfaces_packets_come(tmp_path: Path) -> None:
    path = tmp_path / "a.nft"
    path.write_text(ROUTER + NAT)
    notes = fits_ruleset(path, frame_bytes=64).notes
    assert any("--interfaces IN,OUT says by which" in note for note in notes)
    assert "rules that translate addresses have every packet tracked, which counts" in notes
    notes = fits_ruleset(path, frame_bytes=64, interfaces="lan1, eth0").notes
    assert "packets come in by lan1, and leave by eth0 where they are forwarded" in notes


@pytest.mark.parametrize("named", ["a,b,c", "no name", "sixteen-letters-"])
def test_what_is_no_interface_is_refused(tmp_path: Path, named: str) -> None:
    path = tmp_path / "a.nft"
    path.write_text(ROUTER)
    with pytest.raises(BadInputError, match=r"interfaces=.*eth0 or eth0,eth1"):
        fits_ruleset(path, interfaces=named)


UFW = """*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:not-local - [0:0]
-A INPUT -m conntrack --ctstate DNAT -j DROP
-A INPUT -j not-local
-A INPUT -p udp -m udp --dport 9 -j ACCEPT
-A FORWARD -m addrtype --dst-type LOCAL -j DROP
-A FORWARD -p udp -j ACCEPT
-A not-local -m addrtype --dst-type LOCAL -j RETURN
-A not-local -j DROP
COMMIT
"""
ROUTES = """table inet t {
  chain c {
    type filter hook input priority 0; policy drop;
    fib saddr . iif oif missing drop
    fib daddr type { broadcast, multicast } drop
    ct mark 5 drop
    fib daddr . iif type local accept
  }
}
"""


def test_what_routes_say_of_a_packet_is_known() -> None:
    found = way(loaded(UFW, name="a.rules"), "input").walk
    assert found.decided_by == "INPUT 3"
    assert (found.counts["extension"], found.counts["state_match"]) == (1, 1)
    assert (found.counts["route_type"], set(found.strange)) == (1, set())
    assert way(loaded(UFW, name="a.rules"), "forward").walk.decided_by == "FORWARD 2"
    routed = way(loaded(ROUTES), "input").walk
    assert routed.decided_by == "c 4"
    assert (routed.counts["route_type"], routed.counts["route_back"]) == (2, 1)
    odd = loaded(ROUTES.replace("saddr . iif oif missing", "daddr . iif oif missing"))
    assert set(way(odd, "input").walk.strange) == {"fib daddr oif"}
