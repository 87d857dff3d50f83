"""A ruleset loaded where it meets no packet, and listed as the kernel has it.

nft and iptables read the text themselves, so their errors and lines are the user's.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from linerate.errors import LinerateError, bad_input, cannot_here
from linerate.measure.generators.external import tools
from linerate.measure.rulesets.elements import Elements, StrangeError, elements_of
from linerate.measure.rulesets.expressions import StandsFor, log_group, steps_of
from linerate.measure.rulesets.fields import Field
from linerate.measure.rulesets.ipsets import SetLookup, lookup_of, parse_ipsets
from linerate.measure.rulesets.marks import Mark
from linerate.measure.rulesets.ruleset import FAMILIES, PLACES, Chain, Rule, Ruleset
from linerate.measure.rulesets.set_matches import take_set_matches
from linerate.measure.rulesets.source import FIELD, RULES_MAX, Source
from linerate.measure.rulesets.steps import Match, Note, Step, Strange, in_order_of_iptables
from linerate.measure.rulesets.translation import SIDES
from linerate.measure.system.machine import ROOT_PATH

SECONDS_MAX = 30
MEMORY_BYTES_MAX = 2 << 30
WORDS_MAX = 600
_LOAD = (
    'for name in "$@"; do ip link show dev "$name" >/dev/null 2>&1 || '
    'ip link add name "$name" type veth || exit; done; '
    "nft --file - >&2 && nft --json list ruleset && nft --handle list ruleset"
)
_WITH_SETS = (
    "text=$(cat); blank=; "
    'if [ "$1" -gt 0 ]; then blank="1,$1s/.*//"; '
    'printf "%s\\n" "$text" | sed -n "1,$1p" | ipset restore >&2 || exit; fi; '
    'shift; printf "%s\\n" "$text" | sed "$blank" | "$@"'
)
_HANDLE = re.compile(r"\s*(.*) # handle (\d+)")
_HEADER = re.compile(r"(?:table (\w+) (\S+)|\s+chain (\S+)) \{ # handle \d+")
_BARE = re.compile(r" -m (tcp|udp)(?= -[jm] )(?<= -p \1 -m \1)")
"""A match of a protocol alone, which the translation drops together with the protocol (1.8.9)."""
_UNTRANSLATED = re.compile(r"# -t (\w+) -A (\S+) (.*)")


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
    saved, matches = "", take_set_matches(source.rules)
    if source.datapath == "iptables":
        marked = source.sets + _BARE.sub("", matches.text[source.set_lines :])
        _run_with_sets(source, ["iptables-restore", "--test"], source.text)
        saved = _run_with_sets(source, ["ipset", "save"], source.text) if source.sets else ""
        translate = ["iptables-restore-translate", "--file", "/dev/stdin"]
        text = _with_untranslated(_run_with_sets(source, translate, marked), matches.named)
        listed = _run(source, ["sh", "-c", _LOAD, "sh"], text)
    else:
        listed = _run(source, ["sh", "-c", _LOAD, "sh", *source.needed], source.text)
    plain, _, text = listed.partition("\n")
    sets = parse_ipsets(saved)

    @cache
    def look(name: str, directions: tuple[str, ...]) -> SetLookup:
        return lookup_of(sets, name, directions)

    return _ruleset(source, json.loads(plain)["nftables"], _texts(matches.named(text)),
                    lambda expression: matches.step(expression, look))  # fmt: skip


def _with_untranslated(text: str, named: Callable[[str], str] = str) -> str:
    """Keep the place of what cannot be said in nft's words: a rule that is not understood.

    >>> _with_untranslated("# -t filter -A INPUT -m u32 --u32 0x0=0x0 -j DROP ")
    'add rule ip filter INPUT continue comment "not translated: -m u32 --u32 0x0=0x0 -j DROP"'
    """

    def kept(found: re.Match[str]) -> str:
        words = re.sub(r"[^\w .:,/=!-]", " ", named(found[3].strip()))[:100]
        return f'add rule ip {found[1]} {found[2]} continue comment "not translated: {words}"'

    return _UNTRANSLATED.sub(kept, text)


def _run_with_sets(source: Source, command: Sequence[str], text: str) -> str:
    """Run a tool on the rules of a text, where its sets are."""
    return _run(source, ["sh", "-c", _WITH_SETS, "sh", str(source.set_lines), *command], text)


def _run(source: Source, command: Sequence[str], text: str) -> str:
    """Run a tool in a network namespace of its own, with limits."""
    tools.tool("nft", why="it reads the rules", package="nftables")
    if source.datapath == "iptables":
        tools.tool("iptables-restore", why="it reads the rules", package="iptables")
    if source.set_lines:
        tools.tool("ipset", why="it reads the sets", package="ipset")
    own = ["--user", "--map-root-user"] if os.geteuid() else []
    argv = ["unshare", "--net", *own, "--", *command]
    path = os.environ.get("PATH", os.defpath) + ROOT_PATH
    environment = {"PATH": path, "LC_ALL": "C", "XTABLES_LOCKFILE": os.devnull}
    try:
        done = subprocess.run(
            argv, input=text.encode(), capture_output=True, timeout=SECONDS_MAX, check=False,
            cwd="/", preexec_fn=_limit, env=environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LinerateError(f"{source.path}: {command[0]} did not end in {SECONDS_MAX} s; it was "
                            "stopped") from None  # fmt: skip
    words = done.stderr.decode("utf-8", "replace")
    if done.returncode and "unshare failed" in words:
        raise cannot_here("a network namespace", why="rules are read by loading them into one",
                          do="run it with sudo")  # fmt: skip
    if done.returncode:
        raise _refusal(source, text, words)
    return done.stdout.decode("utf-8", "replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refusal(source: Source, text: str, words: str) -> LinerateError:
    """Say what the tool said, with the line first where it is of the user's own text."""
    found = re.search(r"/dev/stdin:(\d+)|line:? (\d+)", words) if text == source.text else None
    line = f":{found[1] or found[2]}" if found else ""
    output = "; ".join(
        part.strip()
        for part in words.replace("/dev/stdin", "line").splitlines()
        if part.strip() and "--help" not in part and set(part.strip()) - {"^", "~"}
    )
    tool = "nft" if source.datapath == "nftables" else "iptables-restore"
    tool = "ipset" if words.startswith("ipset ") else tool
    whole = ", or take what sudo iptables-save prints" if tool == "iptables-restore" else ""
    return bad_input(
        FIELD, f"{source.path}{line}", why=f"{tool} refuses it: {output[:WORDS_MAX]}",
        allowed=f"what {tool} takes on this machine", do=f"correct it{whole}",
    )  # fmt: skip


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
    if comment.startswith("not translated: "):
        return (Strange(comment.removeprefix("not translated: ")),)

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
    return step == Note("set_ct")


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
