"""Sets of ipset beside rules of iptables: read by the kernel's own tools, and followed."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.elements import StrangeError
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.rulesets.ipsets import lookup_of, parse_ipsets
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.modules import take_modules
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.source import parse_source, read_source
from linerate.measure.system.machine import tool_path

needs_ipset = pytest.mark.skipif(tool_path("ipset") is None, reason="ipset is not installed")
(FRAME,) = named_frames(64).packets
PACKET = parse_packet(FRAME)
"""UDP, 198.18.0.1 to 198.19.0.1, port 9."""
OPTIONS = "family inet hashsize 1024 maxelem 65536"


def held(created: str, *entries: str, by: str = "src", negated: bool = False) -> bool:
    """Whether a set holds the packet."""
    saved = "\n".join([f"create a {created}", *(f"add a {entry}" for entry in entries)])
    found = lookup_of(parse_ipsets(saved), "a", by.split(","))
    return replace(found, negated=negated).matches(PACKET)


def test_a_set_holds_addresses_by_direction() -> None:
    assert held(f"hash:ip {OPTIONS}", "198.18.0.1", "192.0.2.1")
    assert not held(f"hash:ip {OPTIONS}", "198.18.0.1", by="dst")
    assert not held(f"hash:ip {OPTIONS}", "198.18.0.1", negated=True)
    assert held("bitmap:ip range 198.18.0.0-198.18.255.255", "198.18.0.1")


def test_a_netmask_says_how_much_of_an_address_counts() -> None:
    assert held(f"hash:ip {OPTIONS} netmask 24", "198.18.0.0")
    assert not held(f"hash:ip {OPTIONS}", "198.18.0.0")


def test_options_without_a_value_do_not_hide_others() -> None:
    assert held("hash:ip family inet hashsize 64 counters comment netmask 24", "198.18.0.0")


def test_networks_of_several_lengths_are_held() -> None:
    lengths = ("10.0.0.0/8", "198.18.0.0/15", "192.0.2.7")
    assert held(f"hash:net {OPTIONS}", *lengths)
    assert not held(f"hash:net {OPTIONS}", "198.20.0.0/15", *lengths[::2])


@pytest.mark.parametrize(
    ("sort", "entry", "by"),
    [
        ("hash:ip,port", "198.19.0.1,udp:9", "dst,dst"),
        ("hash:net,port", "198.19.0.0/16,udp:9", "dst,dst"),
        ("hash:ip,port,ip", "198.18.0.1,udp:9,198.19.0.1", "src,dst,dst"),
        ("hash:ip,port,net", "198.18.0.1,udp:9,198.0.0.0/8", "src,dst,dst"),
    ],
)
def test_ports_are_held_with_their_protocol(sort: str, entry: str, by: str) -> None:
    assert held(f"{sort} {OPTIONS}", entry, by=by)
    assert not held(f"{sort} {OPTIONS}", entry.replace("udp", "tcp"), by=by)
    assert not held(f"{sort} {OPTIONS}", entry.replace(":9", ":10"), by=by)


def test_a_bitmap_of_ports_knows_no_protocol() -> None:
    assert held("bitmap:port range 0-1023", "9", by="dst")


def test_a_list_holds_what_its_members_hold_and_costs_what_they_cost() -> None:
    saved = (
        f"create a hash:ip {OPTIONS}\nadd a 192.0.2.1\ncreate n hash:net {OPTIONS}\n"
        "add n 198.18.0.0/16\nadd n 10.0.0.0/8\ncreate l list:set size 8\nadd l a\nadd l n\n"
    )
    found = lookup_of(parse_ipsets(saved), "l", ["src"])
    assert found.matches(PACKET)
    assert dict(found.counted) == {"ipset_lookup": 2, "ipset_prefix": 1}


@pytest.mark.parametrize(
    ("created", "entry", "by", "named"),
    [
        (f"hash:net {OPTIONS}", "10.0.0.0/8 nomatch", "src", "set a with nomatch"),
        ("hash:ip family inet6 hashsize 1024", "2001:db8::1", "src", "set a of hash:ip inet6"),
        (f"hash:net,iface {OPTIONS}", "10.0.0.0/8,eth0", "src,src", "set a of hash:net,iface"),
        (f"hash:ip,port {OPTIONS}", "192.0.2.1,icmp:8/0", "src,dst", "set a: icmp:8/0"),
        (f"hash:ip,port {OPTIONS}", "192.0.2.1,tcp:80", "src", "set a by src"),
    ],
)
def test_what_is_not_understood_is_named(created: str, entry: str, by: str, named: str) -> None:
    with pytest.raises(StrangeError, match=named):
        held(created, entry, by=by)


def test_only_lookups_without_options_are_taken() -> None:
    lines = ("-A INPUT -p tcp -m set ! --match-set a src -m set --match-set b dst,dst -j DROP",
             "-A INPUT -m set --match-set a src --return-nomatch -j DROP",
             "-A INPUT -m set --match-set a src ! --update-counters -j DROP",
             "-A INPUT -j SET --map-set a src")  # fmt: skip
    taken = take_modules("\n".join(lines)).text.split("\n")
    assert taken[0] == ("-A INPUT -p tcp -m mark --mark 0x5e700000 -m mark --mark 0x5e700001 "
                        "-j DROP")  # fmt: skip
    assert tuple(taken[1:]) == lines[1:]


def test_a_mark_of_the_text_never_stands_for_a_set() -> None:
    text = "-A INPUT -m mark --mark 0x5E700000 -m set --match-set a src -j DROP"
    assert "--mark 0x5e710000" in take_modules(text).text


def test_a_text_that_has_every_mark_keeps_its_rules() -> None:
    rule = "-A INPUT -m set --match-set a src -j DROP"
    every = " ".join(f"{each:x}" for each in range(0x5E70, 1 << 16))
    taken = take_modules(f"# {every}\n{rule}")
    assert taken.text.endswith(rule)
    assert taken.named("meta mark 0x00000005") == "meta mark 0x00000005"
    mark = {"match": {"op": "==", "left": {"meta": {"key": "mark"}}, "right": 5}}
    assert taken.step(mark, lambda *_: pytest.fail("it is no set")) is None


SETS = f"""# of ipset
create bad hash:ip {OPTIONS}
add bad 192.0.2.1
create here hash:ip,port {OPTIONS}
add here 198.19.0.1,udp:9
"""
SAVED = f"""{SETS}*filter
:INPUT ACCEPT [0:0]
-A INPUT -m set --match-set bad src -m comment --comment "who was banned" -j DROP
-A INPUT -p udp -m set ! --match-set here dst,dst -j ACCEPT
-A INPUT -m set --match-set here dst,dst -j DROP
COMMIT
"""


def read(folder: Path, text: str) -> Followed:
    (folder / "a.rules").write_text(text)
    ruleset = load_source(read_source(folder / "a.rules"))
    (way,), _ = follow(ruleset, named_frames(64), ruleset.last_hook)
    return way


@needs_ipset
@pytest.mark.root
def test_rules_that_look_sets_up_are_walked(tmp_path: Path) -> None:
    way = read(tmp_path, SAVED)
    assert (way.walk.decided_by, dict(way.walk.strange)) == ("INPUT 3", {})
    assert dict(way.operations)["ipset_lookup"] == 3
    texts = [rule.text for rule in way.walk.rules]
    assert texts[0].startswith("match-set bad src")
    assert "! match-set here dst,dst" in texts[1]


@needs_ipset
@pytest.mark.root
def test_a_rule_that_is_not_understood_is_named_by_its_own_words(tmp_path: Path) -> None:
    other = "-A INPUT -m set --match-set bad src -m u32 --u32 0x0=0x0 -j DROP\n"
    way = read(tmp_path, SAVED.replace("-A INPUT -p udp", other + "-A INPUT -p udp"))
    assert list(way.walk.strange) == ["match-set bad src -m u32 --u32 0x0=0x0 -j DROP"]


@needs_ipset
@pytest.mark.root
def test_a_rule_that_adds_to_a_set_lets_the_packet_on(tmp_path: Path) -> None:
    adding = "-A INPUT -p udp -j SET --add-set here src,src --exist\n"
    way = read(tmp_path, SAVED.replace("-A INPUT -m set --match-set here", adding
                                       + "-A INPUT -m set --match-set here"))  # fmt: skip
    assert (way.walk.decided_by, dict(way.walk.strange)) == ("INPUT 4", {})
    assert dict(way.operations)["ipset_update"] == 1
    assert any("SET --add-set here src,src --exist" in rule.text for rule in way.walk.rules)


@needs_ipset
@pytest.mark.root
@pytest.mark.parametrize(
    ("old", "new", "line", "tool"),
    [
        ("add bad 192.0.2.1", "add bad 192.0.2.300", 3, "ipset"),
        ("create bad hash:ip", "create bad hash:nothing", 2, "ipset"),
        ("--match-set bad", "--match-set worse", 8, "iptables-restore"),
        ("dst,dst -j DROP", "dst,dst -j DROPP --now", 10, "iptables-restore"),
    ],
)
def test_errors_of_both_tools_are_told_with_their_line(
    tmp_path: Path, old: str, new: str, line: int, tool: str
) -> None:
    with pytest.raises(BadInputError, match=rf"a\.rules:{line}: {tool} refuses it"):
        read(tmp_path, SAVED.replace(old, new))


@needs_ipset
@pytest.mark.root
def test_a_jump_to_no_chain_has_no_line_of_a_text_that_nobody_wrote(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"a\.rules: iptables-restore refuses it: .*NOWHERE"):
        read(tmp_path, SAVED.replace("dst,dst -j DROP", "dst,dst -j NOWHERE"))


@needs_ipset
@pytest.mark.root
def test_reading_sets_leaves_none_behind(tmp_path: Path) -> None:
    read(tmp_path, SAVED)
    listed = subprocess.run(["ipset", "list", "-n"], capture_output=True, text=True, check=True)
    assert {"bad", "here"}.isdisjoint(listed.stdout.split())


@pytest.mark.parametrize("line", ["flush bad", "destroy", "swap bad here", "add bad", "save"])
def test_other_commands_of_ipset_are_refused(line: str) -> None:
    with pytest.raises(BadInputError, match=r"a\.rules:6: no line of iptables-save"):
        parse_source(Path("a.rules"), SAVED.replace("*filter", f"{line}\n*filter"))


def test_sets_come_before_the_rules() -> None:
    with pytest.raises(BadInputError, match=r"a\.rules:7: no line of iptables-save"):
        parse_source(Path("a.rules"), SAVED.replace(":INPUT", "create late hash:ip\n:INPUT"))


def test_a_large_set_is_followed_and_a_larger_refused() -> None:
    entries = "".join(f"add bad 10.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(100_000))
    text = SAVED.replace("add bad 192.0.2.1\n", entries)
    assert parse_source(Path("a.rules"), text).set_lines == 100_004
    with pytest.raises(BadInputError, match="7 lines of rules and 300004 of sets"):
        parse_source(Path("a.rules"), text.replace(entries, 3 * entries))
