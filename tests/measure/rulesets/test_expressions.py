"""What steps a rule is, by nft's JSON."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.elements import Elements, StrangeError
from linerate.measure.rulesets.expressions import steps_of
from linerate.measure.rulesets.fields import CT_STATES, Field
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.steps import Decide, Match, Note, Step, Strange, Unpriced
from linerate.measure.rulesets.verdict import Verdict

FRAME = parse_packet(named_frames(64).packets[0])
"""UDP of 198.18.0.1 port 9 to 198.19.0.1 port 9."""


def no_sets(name: str, fields: Sequence[Field]) -> Elements:
    raise StrangeError(f"@{name}")


def steps(*expressions: object, family: str = "ip") -> tuple[Step, ...]:
    return steps_of(expressions, family, no_sets)


def match(left: object, right: object, operator: str = "==") -> dict[str, object]:
    return {"match": {"op": operator, "left": left, "right": right}}


def field(protocol: str, name: str) -> dict[str, object]:
    return {"payload": {"protocol": protocol, "field": name}}


def matches(expression: object, ct_state: int = CT_STATES["new"]) -> bool:
    tests = [step for step in steps(expression, family="inet") if isinstance(step, Match)]
    assert tests
    return all(test.outcome(FRAME, ct_state)[0] for test in tests)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (match(field("ip", "saddr"), "198.18.0.1"), True),
        (match(field("ip", "saddr"), {"prefix": {"addr": "198.18.0.0", "len": 15}}), True),
        (match(field("ip", "saddr"), {"prefix": {"addr": "198.18.0.0", "len": 15}}, "!="), False),
        (match(field("ip", "daddr"), {"range": ["198.19.0.2", "198.19.0.9"]}), False),
        (match(field("ip", "daddr"), {"set": [9, {"range": ["198.19.0.0", "198.19.0.5"]}]}), True),
        (match(field("ip", "ttl"), 64, "<"), False),
        (match(field("ip", "ttl"), 64, "<="), True),
        (match(field("ip", "protocol"), "udp"), True),
        (match(field("ip6", "saddr"), "::1"), False),
        (match(field("tcp", "dport"), 9), False),
        (match(field("udp", "dport"), {"set": [9, 53]}), True),
        (match(field("udp", "dport"), {"set": [{"elem": {"val": 9, "timeout": 5}}]}), True),
        (match(field("th", "dport"), 9, ">="), True),
        (match({"meta": {"key": "l4proto"}}, {"set": ["tcp", "udp"]}), True),
        (match({"meta": {"key": "iifname"}}, "lo"), False),
        (match({"meta": {"key": "oifname"}}, "eth*", "!="), True),
        (match({"&": [field("ip", "frag-off"), 0x1FFF]}, 0), True),
        (match({"ct": {"key": "state"}}, ["established", "related"], "in"), False),
        (match({"ct": {"key": "state"}}, "new", "in"), True),
        (match({"payload": {"base": "th", "offset": 16, "len": 16}}, 9), True),
        (match({"concat": [field("ip", "saddr"), field("udp", "dport")]},
               {"set": [{"concat": [{"prefix": {"addr": "198.18.0.0", "len": 24}}, 9]}]}), True),
    ],
)  # fmt: skip
def test_matches_are_decided_as_nft_does(expression: object, expected: bool) -> None:
    assert matches(expression) is expected


def test_a_map_gives_the_verdict_of_its_element() -> None:
    data = {"set": [[53, {"accept": None}], [{"range": [1, 20]}, {"jump": {"target": "low"}}]]}
    *_, test = steps({"vmap": {"key": field("udp", "dport"), "data": data}})
    assert isinstance(test, Match)
    found, verdict = test.outcome(FRAME, 0)
    assert found
    assert verdict
    assert (verdict.name, verdict.target) == ("jump", "low")
    assert test.kind == "range_lookup"


def test_ports_ask_for_their_protocol_once() -> None:
    both = steps(match(field("udp", "sport"), 1), match(field("udp", "dport"), 9), {"drop": None})
    assert [type(step) for step in both] == [Match, Match, Match, Decide]
    known = steps(match(field("ip", "protocol"), "udp"), match(field("udp", "dport"), 9))
    assert len(known) == 2


def test_addresses_ask_for_their_network_where_a_table_sees_both() -> None:
    one = (match(field("ip", "saddr"), "10.0.0.1"),)
    assert (len(steps(*one)), len(steps(*one, family="inet"))) == (1, 2)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ({"xt": None}, "xt"),
        (match({"meta": {"key": "skuid"}}, 0), "meta skuid"),
        (match(field("ip", "saddr"), "@away"), "@away"),
        (match(field("ip", "unheard"), 1), "ip unheard"),
        (match(field("tcp", "flags"), "jumping"), "tcp flags jumping"),
        (match(field("ip", "saddr"), True), "ip saddr True"),
        ({"match": {"op": "~", "left": field("ip", "ttl"), "right": 1}}, "operator ~"),
        (7, "a statement"),
    ],
)
def test_what_is_not_understood_is_named_and_ends_the_rule(expression: object, named: str) -> None:
    *_, last = steps(expression, {"drop": None})
    assert last == Strange(named)


def test_what_lets_packets_on_is_named_and_followed_by_the_verdict() -> None:
    assert [type(step) for step in steps({"log": None}, {"drop": None})] == [Unpriced, Decide]
    assert steps({"reject": None}) == (Note("reject"), Decide(Verdict("drop")))
    assert steps({"reject": {"type": "tcp reset"}}) == (Note("reset"), Decide(Verdict("drop")))
    assert steps({"log": {"group": 5}}) == (Note("log_group"),)
