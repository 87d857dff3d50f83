"""Rules of iptables whose modules no word of nft stands for: put into words that nft has.

A match of a mark that nothing else in the text has stands for each of their matches while the rules
are translated, so that it keeps its place among the others of its rule, and is found again. These
are lookups of sets of ipset, additions to them, and limits of sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from linerate.measure.rulesets.elements import StrangeError
from linerate.measure.rulesets.ipsets import SetLookup
from linerate.measure.rulesets.steps import CONNECTION_LIMIT, QUOTA, Note, Step, Stop, Strange

MODULES = {"connlimit": CONNECTION_LIMIT, "hashlimit": "hashlimit", "quota": QUOTA,
           "recent": "recent"}  # fmt: skip
"""Modules of iptables, with the kind of what each does."""
_IS_BEYOND: Mapping[str, Callable[[str], bool]] = {
    "connlimit": lambda options: ("--connlimit-above" in options) != options.startswith("! "),
    "hashlimit": lambda options: "--hashlimit-above" in options,
    "quota": lambda options: "! " in options,
    "recent": lambda options: "! " not in options,
}
"""Says of the options of each whether it is for what is beyond; a source that is remembered is."""
_OF_SET = r"(?P<name>[^\s\"]+) (?P<directions>(?:src|dst)(?:,(?:src|dst)){0,5})"
_OPTION = r"(?:!|--[a-z0-9-]+|[^-!\s\"][^\s\"]*|\"[^\"\n]*\")"
_MATCH = re.compile(
    rf"-m (?:set(?P<not> !)? --match-set {_OF_SET}"
    rf"|(?P<module>{'|'.join(MODULES)})(?P<options>(?: {_OPTION})+?))(?= -[a-zA-Z]|$)",
    re.M,
)
_ADDITION = re.compile(
    r"-j SET (?P<addition>--(?:add|del)-set [^\s\"]+ (?:src|dst)[^\"\n]*)$", re.M
)
ADDITION = "ipset_update"
"""Kind of what adds a packet to a set of ipset, or takes it out."""
MARKS = 1 << 16
"""Of one prefix; a ruleset has fewer rules."""
FIRST_PREFIX = 0x5E70
Look = Callable[[str, tuple[str, ...]], SetLookup]
"""Finds what a set's name and directions look up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMatches:
    """Text without such matches, and the matches by the marks that stand for them."""

    text: str
    prefix: int
    """First half of each mark."""
    found: tuple[re.Match[str], ...]

    def named(self, listed: str) -> str:
        """Put the matches' own words back into a text of nft or of iptables.

        >>> marked = take_modules("-A INPUT -m set --match-set bad src -j DROP")
        >>> marked.text, marked.named("meta mark 0x5e700000 counter drop")
        ('-A INPUT -m mark --mark 0x5e700000 -j DROP', 'match-set bad src counter drop')
        """

        def words(mark: re.Match[str]) -> str:
            place = int(mark[1], 16)
            return _words_of(self.found[place]) if place < len(self.found) else mark[0]

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
        own = self.found[mark & MARKS - 1].groupdict()
        if own.get("addition"):
            return Note(ADDITION)
        if own["module"]:
            return limiter_of(own["module"], own["options"].strip())
        try:
            looked = look(own["name"], tuple(own["directions"].split(",")))
            return replace(looked, negated=bool(own["not"]))
        except StrangeError as error:
            return Strange(str(error))


def _words_of(found: re.Match[str]) -> str:
    own = found.groupdict()
    if own.get("addition"):
        return f"SET {own['addition']}"
    if own["module"]:
        return own["module"] + own["options"]
    return f"{'! ' if own['not'] else ''}match-set {own['name']} {own['directions']}"


def take_modules(text: str) -> ModuleMatches:
    """Put a mark in the place of each such match in what iptables-save wrote.

    >>> take_modules("-A INPUT -m recent --set --name seen -j SET --add-set bad src").text
    '-A INPUT -m mark --mark 0x5e700000 -m mark --mark 0x5e700001'
    """
    lower = text.lower()
    prefix = next((each for each in range(FIRST_PREFIX, MARKS) if f"{each:x}" not in lower), None)
    if prefix is None:  # every mark is taken: such rules are not understood
        return ModuleMatches(text=text, prefix=0, found=())
    found: list[re.Match[str]] = []

    def mark(own: re.Match[str]) -> str:
        if len(found) == MARKS:
            return own[0]
        found.append(own)
        return f"-m mark --mark 0x{prefix:04x}{len(found) - 1:04x}"

    marked = _ADDITION.sub(mark, _MATCH.sub(mark, text))
    return ModuleMatches(text=marked, prefix=prefix, found=tuple(found))


def limiter_of(module: str, options: str) -> Note | Stop:
    """Say what a match of a module of iptables does.

    Parameters
    ----------
    module
        One of ``MODULES``.
    options
        Its own, as iptables-save writes them, with a blank between.

    >>> limiter_of("hashlimit", "--hashlimit-above 100/sec --hashlimit-mode srcip")
    Note(kind='hashlimit')
    >>> limiter_of("recent", "! --rcheck --seconds 60 --name seen")
    Stop(kind='recent')
    """
    kind = MODULES[module]
    return Note(kind) if _IS_BEYOND[module](options) else Stop(kind)
