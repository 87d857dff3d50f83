"""One packet's way through a ruleset, and what it takes on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

from linerate.errors import bad_input
from linerate.measure.rulesets.expressions import CHANGES
from linerate.measure.rulesets.fields import CT_STATES, PROTOCOLS
from linerate.measure.rulesets.foreseen import forgotten
from linerate.measure.rulesets.ipsets import SetLookup
from linerate.measure.rulesets.marks import Mark
from linerate.measure.rulesets.packet import IPV4, IPV6, Packet, interface_number
from linerate.measure.rulesets.ruleset import (
    CONNTRACK_PRIORITY,
    FAMILIES,
    WAYS,
    Chain,
    Hook,
    Rule,
    Ruleset,
)
from linerate.measure.rulesets.steps import (
    Decide,
    Match,
    Note,
    Step,
    Stop,
    Strange,
    Unpriced,
    Untrack,
)
from linerate.measure.rulesets.translation import Side, Translate
from linerate.measure.rulesets.verdict import Verdict

JUMPS_MAX = 16
"""Of nested jumps; the kernel takes as many (NFT_JUMP_STACK_SIZE)."""
WALKED_MAX = 200_000
"""Rules that one packet walks. A ruleset has a tenth at most, but sixteen chains of ten jumps each
to the next make ten to the sixteenth."""
EXTENSION = "extension"
"""Kind of a match of iptables that iptables-nft (1.8.9) leaves to the kernel's own module."""
STATE_MATCH = "state_match"
"""Kind of such a match of connection tracking's state."""
PORTS = ("tcp", "udp")
"""Protocols whose fields iptables-nft compares as nft does."""


@dataclass(slots=True, kw_only=True)
class Walk:
    """What one packet met."""

    end: Literal["accept", "drop"] = "accept"
    hook: Hook | None = None
    """Where it ended, or the last that it passed."""
    decided_by: str = ""
    """Rule or policy that dropped it."""
    counts: Counter[str] = field(default_factory=Counter)
    """Operations by kind."""
    rules: Counter[Rule] = field(default_factory=Counter)
    strange: Counter[str] = field(default_factory=Counter)
    """What was met and not understood, or has no cost."""
    shapes: list[object] = field(default_factory=list)
    """Of each rule that was walked, in turn, what was executed of it."""
    translations: dict[Side, Translate] = field(default_factory=dict)
    """What the flow's addresses are translated into, as its first packet had it set up."""

    @property
    def passes(self) -> tuple[Hook, ...]:
        """Hooks that it came to, in their order."""
        return WAYS[self.hook] if self.hook else ()


def walk(ruleset: Ruleset, packet: Packet, last: Hook, *, established: bool = False) -> Walk:
    """Lead a packet through the base chains up to a hook.

    What is neither IPv4 nor IPv6 leaves netfilter behind ingress, as ARP does.

    Parameters
    ----------
    ruleset, packet, last
        What it meets, what it is, and how far it goes.
    established
        Whether its flow was answered before; else it is the first of it.
    """
    here = replace(packet, comes_by=interface_number(ruleset.interfaces.comes_by),
                   is_delivered=last != "forward")  # fmt: skip
    one = _Way(ruleset=ruleset, packet=here, seen=Walk(), established=established)
    last = last if packet.ethertype in (IPV4, IPV6) else "ingress"
    for chain in ruleset.bases(last):
        sees = FAMILIES[chain.family]
        if sees is not None and packet.ethertype not in sees:
            continue
        one.enter(chain)
        one.seen.hook = "forward" if chain.hook == "postrouting" else chain.hook
        if one.seen.end == "drop":
            break
    one.seen.hook = one.seen.hook or last
    one.seen.counts["forgotten"] = forgotten(one.seen.shapes)
    if one.seen.end == "accept":
        one.seen.hook = last
        one.seen.counts["forwarded" if last == "forward" else "passed"] += 1
        if last == "forward" and one.seen.counts["conntrack"]:
            one.seen.counts["entered"] = 1
    return one.seen


@dataclass(slots=True, kw_only=True)
class _Way:
    ruleset: Ruleset
    packet: Packet
    seen: Walk
    established: bool
    ct_state: int = CT_STATES["invalid"]
    untracked: bool = False
    """Whether a rule said so before connection tracking."""
    translation: Translate | None = None
    """What a chain of nat said."""

    def enter(self, chain: Chain) -> None:
        """Walk a base chain to its verdict, or to its policy."""
        is_before = chain.hook == "prerouting" and chain.priority <= CONNTRACK_PRIORITY
        if chain.hook != "ingress" and (chain.translates or not is_before):
            self._track()
        if chain.hook in ("forward", "postrouting"):
            leaves_by = interface_number(self.ruleset.interfaces.leaves_by)
            self.packet = replace(self.packet, leaves_by=leaves_by)
        if not chain.translates:
            self._base(chain)
        elif self.ruleset.tracks and self.ct_state != CT_STATES["untracked"]:
            self._translate(chain)

    def _track(self) -> None:
        """Say what connection tracking makes of the packet, once."""
        if not self.ruleset.tracks or self.ct_state != CT_STATES["invalid"]:
            return
        if self.untracked:
            self.ct_state = CT_STATES["untracked"]
            return
        kind, state = ("tracked", "established") if self.established else ("conntrack", "new")
        self.ct_state = CT_STATES[state]
        self.seen.counts[kind] = 1
        if self.packet.protocol == PROTOCOLS["tcp"]:
            self.seen.counts[f"{kind}_tcp"] = 1

    def _translate(self, chain: Chain) -> None:
        """Have a flow's addresses translated as a chain of nat says, which its first packet met."""
        side: Side = "destination" if chain.hook == "prerouting" else "source"
        if not chain.name:
            self.seen.counts["nat_known" if self.established else "nat_new"] += 1
        elif side not in self.seen.translations:
            decided_by = self.seen.decided_by
            self._first_packet(chain)
            if self.seen.end == "accept":  # such a chain lets on what others decide
                self.seen.decided_by = decided_by
            if self.translation is not None:
                self._rewrite(self.translation)

    def _first_packet(self, chain: Chain) -> None:
        """Lead the first packet of the flow through a chain of nat: this one, or one before it."""
        self.translation = None
        if not self.established:
            self._base(chain)
            return
        before = self.seen, self.packet, self.ct_state
        self.seen, self.ct_state = Walk(), CT_STATES["new"]
        self._base(chain)
        strange = self.seen.strange
        self.seen, self.packet, self.ct_state = before
        self.seen.strange.update(strange)

    def _rewrite(self, translation: Translate) -> None:
        self.seen.translations[translation.side] = translation
        self.seen.counts[f"translated_{translation.side}"] += 1
        if not self.established:
            self.seen.counts["mapping"] += 1
            self.seen.counts["masquerade"] += translation.masquerades
        self.packet = translation.of(self.packet)
        if translation.side == "destination":
            self.packet = replace(self.packet, is_redirected=True)

    def _base(self, chain: Chain) -> None:
        self.seen.counts["chain"] += 1
        verdict = self._chain(chain, 0)
        if verdict is None:
            verdict = Verdict(chain.policy)
            self.seen.decided_by = f"policy of {chain.name}"
        if verdict.name == "drop":
            self.seen.end = "drop"

    def _chain(self, chain: Chain, depth: int) -> Verdict | None:
        """Walk a chain; None where it ends, or returns, without one."""
        for rule in chain.rules:
            self.seen.counts["rule"] += 1
            if self.seen.counts["rule"] > WALKED_MAX:
                raise bad_input(
                    "ruleset", f"chain {chain.name}", why="a packet walks its rules again and "
                    f"again: more than {WALKED_MAX} in all", allowed="chains that are not jumped "
                    "to from each other's every rule", do="ask about a part of it",
                )  # fmt: skip
            self.seen.rules[rule] += 1
            verdict = self._rule(rule)
            if verdict is None or verdict.name == "continue":
                continue
            if verdict.name == "return":
                return None
            if verdict.name in ("accept", "drop"):
                self.seen.decided_by = rule.name
                return verdict
            inner = self._jump(chain, verdict, depth)
            if inner is not None or verdict.name == "goto":
                return inner
        return None

    def _jump(self, chain: Chain, verdict: Verdict, depth: int) -> Verdict | None:
        self.seen.counts["jump"] += 1
        target = self.ruleset.chains.get((chain.family, chain.table, verdict.target))
        if target is None or depth >= JUMPS_MAX:
            raise bad_input(
                "ruleset", f"chain {chain.name}", why=f"it leads to {verdict.target}, "
                + ("which is not there" if target is None else "and so on without an end"),
                allowed=f"chains of the same table, {JUMPS_MAX} deep", do="correct it",
            )  # fmt: skip
        return self._chain(target, depth + 1)

    def _rule(self, rule: Rule) -> Verdict | None:
        self.seen.shapes.append(())
        for step in rule.steps:
            kinds = step.kinds if isinstance(step, Match) else type(step)
            self.seen.shapes[-1] = (self.seen.shapes[-1], kinds)
            if isinstance(step, Match):
                matches, verdict = step.outcome(self.packet, self.ct_state)
                self._count(step)
                if not matches:
                    return None
                if verdict is not None:
                    return verdict
            elif isinstance(step, Decide):
                return step.verdict
            elif isinstance(step, Translate):
                self.translation = step
                return Verdict("accept")
            elif self._stops(step):
                return None
        return None

    def _stops(self, step: Step) -> bool:
        if isinstance(step, SetLookup):
            self.seen.counts.update(dict(step.counted))
            return not step.matches(self.packet)
        if isinstance(step, Mark):
            self.packet = replace(self.packet, mark=step.after(self.packet.mark))
        if isinstance(step, Mark | Untrack):
            self.seen.counts[CHANGES["meta"]] += 1
            self.untracked |= isinstance(step, Untrack)
        if isinstance(step, Note | Stop):
            self.seen.counts[step.kind] += 1
        elif isinstance(step, Strange | Unpriced):
            self.seen.strange[step.what] += 1
        return isinstance(step, Stop | Strange)

    def _count(self, test: Match) -> None:
        kind = _module_of(test) if self.ruleset.datapath == "iptables" else ""
        if kind:
            looked_up = (field.looked_up for field in test.fields if field.looked_up)
            self.seen.counts.update((kind, *looked_up))
            return
        self.seen.counts.update(test.kinds)
        if test.kind == "range_lookup":
            self.seen.counts["range_level"] += test.elements.levels


def _module_of(test: Match) -> str:
    """Name the kind of a match that takes a module of iptables; empty where it takes none."""
    field = test.fields[0]
    if field.name.startswith("ct "):
        return STATE_MATCH
    beyond_ip = field.base == "th" or field.name == "pkttype" or bool(field.looked_up)
    plain = test.kind == "compare" and field.name.partition(" ")[0] in PORTS
    return EXTENSION if beyond_ip and not plain else ""
