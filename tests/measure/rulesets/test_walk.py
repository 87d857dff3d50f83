"""A packet's way through chains that lead to each other ends, or is refused."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.ruleset import Chain, Rule, Ruleset
from linerate.measure.rulesets.steps import Decide
from linerate.measure.rulesets.verdict import Verdict
from linerate.measure.rulesets.walk import JUMPS_MAX, walk

from .. import arriving
from ..objects.captures import UDP


def nested(jumps, depth=JUMPS_MAX):
    """Chains of which each has so many jumps to the next."""
    chains = {}
    for level in range(depth + 1):
        target = Decide(Verdict("jump", f"c{level + 1}"))
        own = jumps if level < depth else 0
        rules = tuple(Rule(name=f"c{level} {n}", text="", steps=(target,)) for n in range(own))
        chains["inet", "t", f"c{level}"] = Chain(
            family="inet", table="t", name=f"c{level}", rules=rules,
            hook=None if level else "input",
        )  # fmt: skip
    return Ruleset(datapath="nftables", chains=chains)


def test_each_jump_to_the_next_chain_is_walked():
    way = walk(nested(2, depth=5), parse_packet(UDP), "input")
    assert way.counts["rule"] == 2 + 4 + 8 + 16 + 32


def test_jumps_that_multiply_from_chain_to_chain_are_refused():
    """Ten jumps in each of sixteen chains: a packet would walk for years."""
    with pytest.raises(BadInputError, match=r"ruleset=chain c\d+: a packet walks its rules again"):
        walk(nested(10), parse_packet(UDP), "input")


def test_what_is_no_ip_leaves_behind_ingress():
    way = walk(nested(1, depth=1), parse_packet(arriving.arp()), "input")
    assert (way.hook, way.passes, way.counts["rule"]) == ("ingress", ("ingress",), 0)
    assert way.end == "accept"
