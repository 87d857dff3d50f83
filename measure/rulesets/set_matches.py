"""Rules of iptables that look sets of ipset up: put into words that nft has, and found again.

No word of nft is such a lookup. A match of a mark that nothing else in the text has stands for each
while the rules are translated, so that it keeps its place among the other matches of its rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from linerate.measure.rulesets.elements import StrangeError
from linerate.measure.rulesets.ipsets import SetLookup
from linerate.measure.rulesets.steps import Step, Strange

_MATCH = re.compile(
    r"-m set(?P<not> !)? --match-set (?P<name>[^\s\"]+) "
    r"(?P<directions>(?:src|dst)(?:,(?:src|dst)){0,5})(?= -[a-zA-Z]|$)"
)
MARKS = 1 << 16
"""Of one prefix; a ruleset has fewer rules."""
FIRST_PREFIX = 0x5E70
Look = Callable[[str, tuple[str, ...]], SetLookup]
"""Finds what a set's name and directions look up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMatches:
    """Text without lookups of sets, and the lookups by the marks that stand for them."""

    text: str
    prefix: int
    """First half of each mark."""
    found: tuple[re.Match[str], ...]

    def named(self, listed: str) -> str:
        """Put the lookups' own words back into a text of nft or of iptables.

        >>> marked = take_set_matches("-A INPUT -m set --match-set bad src -j DROP")
        >>> marked.text, marked.named("meta mark 0x5e700000 counter drop")
        ('-A INPUT -m mark --mark 0x5e700000 -j DROP', 'match-set bad src counter drop')
        """

        def words(mark: re.Match[str]) -> str:
            place = int(mark[1], 16)
            if place >= len(self.found):
                return mark[0]
            own = self.found[place]
            return f"{'! ' if own['not'] else ''}match-set {own['name']} {own['directions']}"

        mark = rf"(?:meta mark|-m mark --mark) 0x{self.prefix:04x}([0-9a-f]{{4}})\b"
        return re.sub(mark, words, listed)

    def step(self, expression: object, look: Look) -> Step | None:
        """Say what an expression of nft stands for; None where it is not such a mark."""
        inner = expression.get("match") if isinstance(expression, dict) else None
        if not isinstance(inner, dict) or inner.get("left") != {"meta": {"key": "mark"}}:
            return None
        mark = inner.get("right")
        if not isinstance(mark, int) or not 0 <= mark - MARKS * self.prefix < len(self.found):
            return None
        own = self.found[mark & MARKS - 1]
        try:
            looked = look(own["name"], tuple(own["directions"].split(",")))
            return replace(looked, negated=bool(own["not"]))
        except StrangeError as error:
            return Strange(str(error))


def take_set_matches(text: str) -> SetMatches:
    """Put a mark in the place of each lookup of a set in what iptables-save wrote."""
    lower = text.lower() if "--match-set" in text else ""
    prefix = next((each for each in range(FIRST_PREFIX, MARKS) if f"{each:x}" not in lower), None)
    if prefix is None:  # every mark is taken: such rules are not understood
        return SetMatches(text=text, prefix=0, found=())
    found: list[re.Match[str]] = []

    def mark(own: re.Match[str]) -> str:
        if len(found) == MARKS:
            return own[0]
        found.append(own)
        return f"-m mark --mark 0x{prefix:04x}{len(found) - 1:04x}"

    lines = (_MATCH.sub(mark, line) if "--match-set" in line else line for line in text.split("\n"))
    return SetMatches(text="\n".join(lines), prefix=prefix, found=tuple(found))
