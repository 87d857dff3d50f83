"""Packets are followed by their bytes and by what tables hold, and counted where nothing tells."""

import numpy as np
import pytest

from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following import paths as following
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.layout import Layout
from linerate.measure.datapaths.swx.spec.following.packet import Packet
from linerate.measure.datapaths.swx.spec.following.paths import SAMPLED_MAX, shared_paths

from .pipelines import ENTRIES, ROUTER, frame, operations, router

RNG = np.random.default_rng(1)


def followed(packet, entries=ENTRIES):
    """Follow the one way of a frame through the router."""
    spec = router()
    tables = {"routes": filled(spec, "routes", entries)} if entries else {}
    (path,) = shared_paths(spec, RNG, tables, packet)
    assert path.share == 1.0
    return path


@pytest.mark.parametrize(
    ("packet", "choices", "sends"),
    [
        (frame(0xC6130001), ("routes:route",), True),
        (frame(0xC6130105), ("routes:route",), True),
        (frame(0xC6130205), ("routes:lose",), False),
        (frame(0x0A000001), ("routes:miss",), False),
        (frame(0xC6130001, ttl=1), ("routes:route",), False),
        (frame(0xC6130001, ethertype=0x86DD), (), True),
    ],
    ids=["prefix", "longer prefix", "lost", "missed", "last hop", "no IPv4"],
)
def test_a_frame_takes_the_way_that_its_bytes_and_the_entries_say(packet, choices, sends):
    path = followed(packet)
    assert (path.choices, path.sends) == (choices, sends)


def test_what_an_entry_says_decides_later_jumps():
    short, long = followed(frame(0xC6130105)), followed(frame(0xC6130001))
    assert "subtract" not in dict(short.operations)
    assert dict(long.operations)["subtract"] == 1


def test_a_table_without_entries_misses_where_the_others_are_known():
    assert followed(frame(0xC6130001), entries="").choices == ("routes:miss",)


def test_a_search_that_finds_nothing_is_of_its_own_kind():
    found, missed = (dict(followed(frame(to)).operations) for to in (0xC6130001, 0x0A000001))
    assert (found.get("table_lpm"), "table_lpm_miss" in found) == (1, False)
    assert ("table_lpm" in missed, missed.get("table_lpm_miss")) == (False, 1)


def test_an_empty_table_of_prefixes_costs_no_lookup():
    counted = [dict(followed(frame(0xC6130001), entries).operations) for entries in (ENTRIES, "")]
    assert ["table_lpm" in each for each in counted] == [True, False]
    assert ["table_keyless" in each for each in counted] == [False, True]


NOTHING = """action keep args none {
	return
}
table nothing {
	key {
		h.ipv4.src_addr lpm
	}
	actions {
		keep
	}
	default_action keep args none
	size 8
}
apply {"""


def test_an_empty_table_makes_no_miss_of_what_another_found():
    text = ROUTER.replace("\ttable routes\n", "\ttable routes\n\ttable nothing\n")
    spec = parse_spec(text.replace("apply {", NOTHING))
    tables = {"routes": filled(spec, "routes", ENTRIES)}
    (path,) = shared_paths(spec, RNG, tables, frame(0xC6130001))
    assert path.choices == ("routes:route", "nothing:miss")
    counted = dict(path.operations)
    assert (counted["table_lpm"], counted["table_keyless"]) == (1, 1)
    assert "table_lpm_miss" not in counted


def test_shares_are_those_of_entries_and_else_even():
    spec = router()
    paths = shared_paths(spec, RNG, {"routes": filled(spec, "routes", ENTRIES)})
    assert sum(path.share for path in paths) == pytest.approx(1.0)
    lost = sum(path.share for path in paths if "routes:lose" in path.choices)
    assert lost == pytest.approx(0.5 / 3), "half are IPv4, of three entries one loses"


def jumping(count):
    """So many independent jumps, each past an addition."""
    jumps = "".join(
        f"\tjmpeq L{n} h.ethernet.src_addr {n}\n\tadd m.hop 1\n\tL{n} : mov m.port 0\n"
        for n in range(count)
    )
    head, _, _ = ROUTER.partition("apply {")
    return parse_spec(f"{head}apply {{\n\trx m.port\n\textract h.ethernet\n{jumps}"
                      "\temit h.ethernet\n\ttx m.port\n}\n")  # fmt: skip


def test_many_paths_are_sampled_fairly():
    """Sixteen independent jumps have 65 536 paths; the mean of what they execute is known."""
    paths = shared_paths(jumping(16), RNG)
    assert len(paths) <= 2 * SAMPLED_MAX
    assert sum(path.share for path in paths) == pytest.approx(1.0)
    adds = sum(path.share * dict(path.operations).get("add", 0) for path in paths)
    assert adds == pytest.approx(8.0, abs=0.6)


def test_the_longer_it_takes_the_fewer_packets_are_followed(monkeypatch):
    """Thousands of jumps took a minute of CPU."""
    monkeypatch.setattr(following, "SAMPLED_LATER", ((1000, 16), (2000, 1)))
    found, left_out = following.sampled_paths(jumping(60), RNG)
    assert left_out
    assert len(found) == 1
    assert sum(path.share for path in found) == pytest.approx(1.0)
    assert following.sampled_paths(jumping(3), RNG)[1] is False


def test_packets_of_no_share_are_drawn_alike():
    """Each of a thousand jumps halves it, until it is 0."""
    assert len(following._Sample(RNG)([Packet(share=0.0)] * 300)) == SAMPLED_MAX


def test_wildcards_are_found_by_priority():
    table = """table t {
	key {
		h.ipv4.protocol wildcard
		h.ipv4.dst_addr wildcard
	}
	actions {
		route
	}
	default_action lose args none
	size 8
}
"""
    spec = parse_spec(ROUTER.replace("apply {", table + "apply {")
                      .replace("default_action lose args none\n\tsize 8",
                               "default_action route args hop 0\n\tsize 8"))  # fmt: skip
    text = ("match 0x0/0x0 0x5/0xff priority 2 action route hop 0x2\n"
            "match 0x11/0xff 0x0/0x0 priority 1 action route hop 0x1\n")  # fmt: skip
    entries = filled(spec, "t", text)
    found = [entries.find(key) for key in ((17, 5), (6, 5))]
    assert [entry and entry.args for entry in found] == [(("hop", 1),), (("hop", 2),)]
    assert entries.find((6, 6)) is None


def test_headers_that_stay_in_place_are_not_copied():
    received = Layout().extracted("a", 14).extracted("b", 20)
    assert received.emitted("b", 20).copies == 0, "what was before it is cut off"
    assert received.emitted("a", 14).copies == 1, "what lay between is gone"
    assert Layout().emitted("new", 4).copies == 1


def test_an_invalid_header_is_another_kind_than_a_valid_one():
    counted = operations("invalidate h.ipv4", "emit h.ethernet", "emit h.ipv4")
    assert (counted["emit"], counted["emit_invalid"], counted["header_copy"]) == (1, 1, 1)


LEARNER = """struct known_args_t {
	bit<32> hop
}
action known args instanceof known_args_t {
	mov m.hop t.hop
	rearm
	return
}
action first args none {
	learn known m.hop m.port
	return
}
learner sources {
	key {
		h.ipv4.src_addr
	}
	actions {
		known

		first
	}
	default_action first args none
	size 8
	timeout {
		60
	}
}
"""


def test_a_flow_that_is_known_runs_what_was_learnt_not_what_learns():
    head, _, _ = ROUTER.partition("apply {")
    lines = "rx m.port\nextract h.ethernet\nextract h.ipv4\ntable sources\ntx m.port"
    (path,) = shared_paths(parse_spec(f"{head}{LEARNER}apply {{\n{lines}\n}}\n"), RNG, {})
    assert path.choices == ("sources:known",)


BRANCHES = """	jmpeq B m.hop 7
	learn other m.hop m.port
	return
	B : learn known"""
OTHER = """action other args instanceof known_args_t {
	return
}
action first args none {"""


def test_what_one_branch_of_an_action_learns_is_learnt():
    head, _, _ = ROUTER.partition("apply {")
    learner = LEARNER.replace("\tlearn known", BRANCHES).replace("action first args none {", OTHER)
    learner = learner.replace("\t\tknown\n", "\t\tknown\n\t\tother\n")
    lines = "rx m.port\nextract h.ethernet\nextract h.ipv4\ntable sources\ntx m.port"
    found = shared_paths(parse_spec(f"{head}{learner}apply {{\n{lines}\n}}\n"), RNG, {})
    assert {path.choices for path in found} == {("sources:known",), ("sources:other",)}


@pytest.mark.parametrize(("options_bytes", "ttl"), [(0, 17), (4, 99)])
def test_a_header_is_as_long_as_the_frame_says(options_bytes, ttl):
    """What lies behind the options is another byte than where there are none."""
    text = """struct top_h {
	bit<8> words
	varbit<80> options
}
struct next_h {
	bit<8> ttl
}
header top instanceof top_h
header next instanceof next_h
struct m_t {
	bit<32> port
	bit<32> size
}
metadata instanceof m_t
apply {
	rx m.port
	mov m.size OPTIONS
	extract h.top m.size
	extract h.next
	jmpeq LONG h.next.ttl 17
	validate h.top
	LONG : emit h.top
	emit h.next
	tx m.port
}
""".replace("OPTIONS", str(options_bytes))
    packet = bytes([5, 17, 0, 0, 0, 99, *range(54)])
    (path,) = shared_paths(parse_spec(text), RNG, {}, packet)
    assert ("validate" in dict(path.operations)) == (ttl != 17)
    assert "header_copy" not in dict(path.operations)
