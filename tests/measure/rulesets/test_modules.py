"""Rules that count what came before: limits of sources, of connections, of bytes; drawn shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.modules import limiter_of, take_modules
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.ruleset import Ruleset
from linerate.measure.rulesets.source import parse_source
from linerate.measure.rulesets.steps import Note, Stop
from linerate.measure.rulesets.walk import Walk, walk

(FRAME,) = named_frames(64).packets
"""UDP, 198.18.0.1 to 198.19.0.1, port 9."""
NFT = """table ip t {{
 set seen {{ type ipv4_addr; size 99; flags dynamic; }}
 chain late {{ drop; }}
 chain c {{ type filter hook input priority 0; policy accept; {}; }}
}}
"""
SAVED = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT {}\nCOMMIT\n"
HASHLIMIT = "-m hashlimit --hashlimit-{} 9/sec --hashlimit-mode srcip --hashlimit-name h -j DROP"


def loaded(text: str, name: str) -> Ruleset:
    return load_source(parse_source(Path(name), text))


def walked(rule: str) -> Walk:
    is_saved = rule.startswith("-")
    text, name = (SAVED, "a.rules") if is_saved else (NFT, "a.nft")
    return walk(loaded(text.format(rule), name), parse_packet(FRAME), "input")


@pytest.mark.root
@pytest.mark.parametrize(("rule", "kind", "end"), [
    ("update @seen { ip saddr limit rate over 9/second } drop", "limit", "drop"),
    ("meter m { ip saddr limit rate over 9/second } drop", "set_update", "drop"),
    ("meter m { ip saddr limit rate 9/second } drop", "limit", "accept"),
    ("add @seen { ip saddr ct count over 9 } drop", "connection_limit", "drop"),
    ("ct count 9 drop", "connection_limit", "accept"),
    ("quota over 9 bytes drop", "quota", "drop"),
    ("quota 9 bytes drop", "quota", "accept"),
    ("numgen random mod 9 1 drop", "drawn", "accept"),
    ("numgen inc mod 2 offset 5 vmap { 5 : accept, 6 : goto late }", "drawn", "drop"),
    (HASHLIMIT.format("above"), "hashlimit", "drop"),
    (HASHLIMIT.format("upto"), "hashlimit", "accept"),
    ("-p udp -m connlimit --connlimit-above 9 --connlimit-mask 32 -j DROP", "connection_limit",
     "drop"),
    ("-m connlimit --connlimit-upto 9 -j DROP", "connection_limit", "accept"),
    ("-m recent --update --seconds 60 --hitcount 4 --name s --rsource -j DROP", "recent", "drop"),
    ("-m recent ! --rcheck --seconds 60 --name s --rsource -j DROP", "recent", "accept"),
    ("-m quota ! --quota 9 -j DROP", "quota", "drop"),
    ("-m quota --quota 9 -j DROP", "quota", "accept"),
    ("-m statistic --mode random --probability 0.5 -j DROP", "drawn", "accept"),
    ("-m statistic --mode nth --every 3 --packet 0 -j DROP", "drawn", "accept"),
])  # fmt: skip
def test_each_packet_of_a_flood_is_beyond_what_a_rule_allows(
    rule: str, kind: str, end: str
) -> None:
    way = walked(rule)
    assert (way.end, way.counts[kind], dict(way.strange)) == (end, 1, {})


@pytest.mark.root
@pytest.mark.parametrize(
    "rule", ["ct count over 9 drop", "-m connlimit --connlimit-above 9 -j DROP"]
)
def test_who_counts_connections_has_every_packet_tracked(rule: str) -> None:
    """The kernel's modules ask for it (nft_connlimit.c, xt_connlimit.c)."""
    assert walked(rule).counts["conntrack"] == 1


@pytest.mark.parametrize(("options", "behind"), [
    ("--update --seconds 60 --name a", "-j DROP"), ('! --rcheck --name "a -m b"', "-m udp -j x"),
])  # fmt: skip
def test_all_options_of_a_match_are_taken(options: str, behind: str) -> None:
    taken = take_modules(f"-A INPUT -m recent {options} {behind}").text
    assert taken == f"-A INPUT -m mark --mark 0x5e700000 {behind}"


def test_a_match_keeps_its_place_and_its_words() -> None:
    rule = f"-A INPUT -p udp -m udp --dport 9 {HASHLIMIT.format('above')}"
    taken = take_modules(rule)
    assert taken.text == "-A INPUT -p udp -m udp --dport 9 -m mark --mark 0x5e700000 -j DROP"
    assert taken.named(taken.text) == rule.replace("-m hash", "hash")


@pytest.mark.parametrize(("module", "options", "step"), [
    ("connlimit", "! --connlimit-above 9", Stop("connection_limit")),
    ("recent", "--remove --name a", Note("recent")),
    ("hashlimit", "--hashlimit 9/sec", Stop("hashlimit")),
])  # fmt: skip
def test_older_words_are_read_alike(module: str, options: str, step: Note | Stop) -> None:
    assert limiter_of(module, options) == step


@pytest.mark.root
def test_a_rule_whose_translation_nft_does_not_take_is_named_and_no_other_is_lost() -> None:
    strange = "-m conntrack --ctorigdstport 80 -j DROP"
    text = SAVED.format(f"{strange}\n-A INPUT {strange}\n-A INPUT -p udp -m udp --dport 9 -j DROP")
    way = walk(loaded(text, "a.rules"), parse_packet(FRAME), "input")
    assert (way.end, way.decided_by) == ("drop", "INPUT 3")
    assert dict(way.strange) == {"ct original proto-dst 80 counter drop": 2}


@pytest.mark.root
@pytest.mark.parametrize("line", [0, 99999])
def test_a_comment_that_looks_like_an_error_of_nft_is_a_comment(line: int) -> None:
    """What nft refuses is printed with the rule's own text."""
    strange = (f'-m conntrack --ctorigdstport 80 -m comment --comment "line:{line}:1-1: Error: no" '
               "-j DROP")  # fmt: skip
    way = walk(loaded(SAVED.format(f"{strange}\n-A INPUT -p udp -j DROP"), "a.rules"),
               parse_packet(FRAME), "input")  # fmt: skip
    assert (way.decided_by, len(way.strange)) == ("INPUT 2", 1)


@pytest.mark.root
def test_a_long_rule_that_is_not_understood_is_cut_between_two_words() -> None:
    rule = ("-s 10.0.0.0/8 -d 172.16.0.0/12 -i lan0 -p udp -m udp --sport 1000:2000 --dport 3000 "
            "-m u32 --u32 0x0=0x0 -j DROP")  # fmt: skip
    (named,) = walk(loaded(SAVED.format(rule), "a.rules"), parse_packet(FRAME), "input").strange
    assert named.endswith(" --u32 ...")
    assert set(named.split()) <= {*rule.split(), "..."}
