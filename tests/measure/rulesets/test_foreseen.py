"""Rules that come in an order are foreseen, however many they are; many mixed ones are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linerate.measure.rulesets.foreseen import REMEMBERED, RUN
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.source import parse_source
from linerate.measure.rulesets.walk import walk

from ..arriving import UDP, ipv4, udp

pytestmark = pytest.mark.root
KINDS = ("ip saddr 192.0.2.1 drop", "tcp dport 22 drop", "udp dport { 53, 67 } drop",
         "ip saddr 172.16.0.0/12 drop")  # fmt: skip
CHAIN = "table ip t {{\n chain c {{\n  type filter hook prerouting priority 0;\n{}\n }}\n}}\n"


def unforeseen(order: np.ndarray) -> int:
    text = CHAIN.format("\n".join(KINDS[kind] for kind in order))
    ruleset = load_source(parse_source(Path("a.nft"), text))
    return walk(ruleset, parse_packet(ipv4(UDP, udp(1, 9))), "prerouting").counts["forgotten"]


def test_only_many_rules_in_no_order_are_not_foreseen() -> None:
    drawn = np.random.default_rng(3).integers(len(KINDS), size=1000)
    assert unforeseen(np.sort(drawn)) == unforeseen(np.arange(1000) % len(KINDS)) == 0
    assert unforeseen(drawn[: REMEMBERED + RUN - 1]) == 0
    assert 600 < unforeseen(drawn) <= 1000 - RUN + 1 - REMEMBERED
