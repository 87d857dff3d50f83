"""A ruleset as the kernel lists it: its chains, and what each rule does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from linerate.errors import bad_input
from linerate.measure.rulesets.elements import Elements, StrangeError, elements_of
from linerate.measure.rulesets.expressions import StandsFor, log_group, steps_of
from linerate.measure.rulesets.fields import Field
from linerate.measure.rulesets.ipsets import SetLookup, lookup_of, parse_ipsets
from linerate.measure.rulesets.loading import NOT_TRANSLATED, load_text
from linerate.measure.rulesets.marks import Mark
from linerate.measure.rulesets.modules import take_modules
from linerate.measure.rulesets.ruleset import FAMILIES, PLACES, Chain, Rule, Ruleset
from linerate.measure.rulesets.source import FIELD, RULES_MAX, Source
from linerate.measure.rulesets.steps import (
    CONNECTION_LIMIT,
    Match,
    Note,
    Step,
    Stop,
    Strange,
    in_order_of_iptables,
)
from linerate.measure.rulesets.translation import SIDES

_HANDLE = re.compile(r"\s*(.*) # handle (\d+)")
_HEADER = re.compile(r"(?:table (\w+) (\S+)|\s+chain (\S+)) \{ # handle \d+")


def load_source(source: Source) -> Ruleset:
    """Load a text into a namespace that is gone at once, and read what the kernel made of it.

    Raises
    ------
    BadInputError
        The text cannot be used, with the tool's words and the line; or nothing in it meets an
        incoming packet.
    CannotHereError
        A tool is missing.
    """
    matches = take_modules(source.rules)
    loaded = load_text(source, matches)
    sets = parse_ipsets(loaded.sets)

    @cache
    def look(name: str, directions: tuple[str, ...]) -> SetLookup:
        return lookup_of(sets, name, directions)

    return _ruleset(source, json.loads(loaded.listed)["nftables"],
                    _texts(matches.named(loaded.text)),
                    lambda expression: matches.step(expression, look))  # fmt: skip


def _texts(listed: str) -> dict[tuple[str, str, int], str]:
    """Read each rule's text by family, table and handle."""
    found: dict[tuple[str, str, int], str] = {}
    family = table = ""
    for line in listed.splitlines():
        if header := _HEADER.fullmatch(line):
            if header[1]:
                family, table = header[1], header[2]
        elif rule := _HANDLE.fullmatch(line):
            found[family, table, int(rule[2])] = rule[1]
    return found


def _ruleset(
    source: Source,
    listed: Sequence[dict[str, Any]],
    texts: dict[tuple[str, str, int], str],
    stands_for: StandsFor,
) -> Ruleset:
    named = [pair for entry in listed for pair in entry.items() if pair[0] in ("set", "map")]
    sets = {(each["family"], each["table"], each["name"]): (sort == "map", each)
            for sort, each in named}  # fmt: skip
    rules: dict[tuple[str, str, str], list[Rule]] = {}
    for rule in (entry["rule"] for entry in listed if "rule" in entry):
        where = (rule["family"], rule["table"], rule["chain"])
        own = rules.setdefault(where, [])
        own.append(Rule(
            name=f"{rule['chain']} {len(own) + 1}",
            text=texts.get((rule["family"], rule["table"], rule["handle"]), ""),
            steps=_ordered(source, _steps(rule, sets, stands_for)),
        ))  # fmt: skip
    chains, left_out = {}, []
    for chain in (entry["chain"] for entry in listed if "chain" in entry):
        where = (chain["family"], chain["table"], chain["name"])
        hook = chain.get("hook")
        sort = chain.get("type")
        met = hook in PLACES and chain["family"] in FAMILIES and sort in ("filter", "nat")
        if hook and not met:
            left_out.append(f"{chain['name']} ({sort} at {hook}, {chain['family']})")
        chains[where] = Chain(
            family=where[0], table=where[1], name=where[2], rules=tuple(rules.get(where, ())),
            hook=hook if met else None, priority=int(chain.get("prio", 0)),
            policy=chain.get("policy", "accept"), translates=sort == "nat" and met,
        )  # fmt: skip
    # A rule that translates has every packet tracked (nft_nat.c), whichever chain it is in.
    translates = any(SIDES.keys() & expression.keys() for expression in _expressions(listed))
    found = Ruleset(
        datapath=source.datapath, chains=chains, left_out=tuple(left_out),
        log_groups=_log_groups(listed),
        tracks=translates
        or any(_tracks(step) for own in rules.values() for rule in own for step in rule.steps),
        interfaces=source.called,
    )  # fmt: skip
    _check(source, found)
    return found


def _log_groups(listed: Sequence[dict[str, Any]]) -> tuple[int, ...]:
    """List the groups that rules log to, each once."""
    groups = map(log_group, _expressions(listed))
    return tuple(sorted({group for group in groups if group is not None}))


def _expressions(listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for entry in listed if "rule" in entry for one in entry["rule"]["expr"]]


def _steps(
    rule: dict[str, Any],
    sets: dict[tuple[str, str, str], tuple[bool, Any]],
    stands_for: StandsFor,
) -> tuple[Step, ...]:
    comment = str(rule.get("comment", ""))
    if comment.startswith(NOT_TRANSLATED):
        return (Strange(comment.removeprefix(NOT_TRANSLATED)),)

    def set_of(name: str, fields: Sequence[Field]) -> Elements:
        is_map, found = sets.get((rule["family"], rule["table"], name), (False, None))
        if found is None:
            raise StrangeError(f"@{name}")
        elements = elements_of(found.get("elem", ()), fields, is_map=is_map)
        return elements

    return steps_of(rule["expr"], rule["family"], set_of, stands_for)


def _ordered(source: Source, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return in_order_of_iptables(steps) if source.datapath == "iptables" else steps


def _tracks(step: Step) -> bool:
    """Whether a step asks connection tracking, or tells it."""
    if isinstance(step, Mark):
        return step.is_of_flow
    if isinstance(step, Match):
        return any(field.name.startswith("ct ") for field in step.fields)
    return step in (Note("set_ct"), Note(CONNECTION_LIMIT), Stop(CONNECTION_LIMIT))


def _check(source: Source, ruleset: Ruleset) -> None:
    if ruleset.rules > RULES_MAX:
        raise bad_input(FIELD, source.path, why=f"it has {ruleset.rules} rules",
                        allowed=f"up to {RULES_MAX}", do="ask about a part of it")  # fmt: skip
    if not ruleset.hooks:
        others = f"; {', '.join(ruleset.left_out)} do not" if ruleset.left_out else ""
        raise bad_input(
            FIELD, source.path, why=f"no base chain meets incoming packets{others}",
            allowed="a chain of type filter on ingress, prerouting, input, forward or postrouting, "
            "or of nat",
            do="add the hook",
        )  # fmt: skip
