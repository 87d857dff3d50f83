"""A ruleset as a packet meets it: base chains by hook and priority, and chains they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from linerate.measure.rulesets.packet import IPV4, IPV6, interface_name
from linerate.measure.rulesets.source import UNNAMED, Interfaces
from linerate.measure.rulesets.steps import Match, Step

Hook = Literal["ingress", "prerouting", "input", "forward"]
HOOKS: tuple[Hook, ...] = get_args(Hook)
Place = Literal["ingress", "prerouting", "input", "forward", "postrouting"]
PLACES: tuple[Place, ...] = get_args(Place)
"""Where chains that incoming packets meet sit; what is forwarded comes to the last, too."""
WAYS: Mapping[Hook, tuple[Hook, ...]] = {
    "ingress": ("ingress",), "prerouting": ("ingress", "prerouting"),
    "input": ("ingress", "prerouting", "input"), "forward": ("ingress", "prerouting", "forward"),
}  # fmt: skip
"""Of each last hook, those that a packet passes up to it."""
NAT_PRIORITIES: Mapping[Place, int] = {"prerouting": -100, "input": 100, "postrouting": 100}
"""Where the kernel translates addresses; chains of nat are called from there."""
FIRST = -(1 << 31)
"""Of all chains."""
FAMILIES = {"ip": (IPV4,), "ip6": (IPV6,), "inet": (IPV4, IPV6), "netdev": None}
"""Of each family the packets that its chains see; None for all."""
CONNTRACK_PRIORITY = -200
"""Where connection tracking sits at prerouting."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One rule."""

    name: str
    """Chain and place in it, from 1."""
    text: str
    """As nft lists it."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Rules in their order; of a base chain where it sits."""

    family: str
    table: str
    name: str
    rules: tuple[Rule, ...]
    hook: Place | None = None
    """None of chains that others lead to."""
    priority: int = 0
    policy: str = "accept"
    translates: bool = False
    """Whether it is of nat, which the first packet of a flow meets alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """All of it."""

    datapath: Literal["nftables", "iptables"]
    chains: Mapping[tuple[str, str, str], Chain]
    """By family, table and name."""
    left_out: tuple[str, ...] = ()
    """Base chains that no incoming packet meets, or not every one."""
    tracks: bool = False
    """Whether packets are tracked: a rule asks for it, or translates addresses."""
    interfaces: Interfaces = UNNAMED
    log_groups: tuple[int, ...] = ()
    """Groups that rules log to."""

    @property
    def rules(self) -> int:
        """How many rules it has."""
        return sum(len(chain.rules) for chain in self.chains.values())

    @property
    def translates(self) -> bool:
        """Whether a chain translates addresses."""
        return any(chain.translates for chain in self.chains.values())

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """Hooks that it has base chains on, or behind."""
        return tuple(hook for hook in HOOKS if self._at(hook))

    def _at(self, hook: Hook) -> list[Chain]:
        places = (hook, "postrouting") if hook == "forward" else (hook,)
        return [chain for chain in self.chains.values() if chain.hook in places]

    @property
    def last_hook(self) -> Hook:
        """Hook up to which packets are followed where none is named.

        Of input and forward that with more rules: one packet passes only one of them.
        """
        if not {"input", "forward"} <= set(self.hooks):
            return self.hooks[-1]
        forward, delivered = (sum(len(chain.rules) for chain in self._at(hook))
                              for hook in ("forward", "input"))  # fmt: skip
        return "forward" if forward > delivered else "input"

    @property
    def interface_names(self) -> tuple[str, ...]:
        """Interfaces that rules name, but the loopback; an end of ``*`` stands for any."""
        found: dict[str, None] = {}
        for step in (step for chain in self.chains.values() for rule in chain.rules
                     for step in rule.steps if isinstance(step, Match)):  # fmt: skip
            for place, field in enumerate(step.fields):
                if field.names_interface:
                    found |= dict.fromkeys(
                        interface_name(key[place]) for key in step.elements.exact
                    )
                    found |= dict.fromkeys(f"{interface_name(spans[place][0])}*"
                                           for spans, _ in step.elements.spans)  # fmt: skip
        return tuple(name for name in found if name != "lo")

    def bases(self, last: Hook) -> list[Chain]:
        """List the base chains that a packet meets up to a hook, in its order.

        Before those of nat stands one without a name and rules, for what the kernel does there.
        """
        way = self.places(last)
        families = {chain.family for chain in self.chains.values() if chain.translates}
        bare = [Chain(family=family, table="", name="", rules=(), hook=place, priority=FIRST,
                      translates=True)
                for family in families for place in NAT_PRIORITIES]  # fmt: skip
        own = [chain for chain in (*self.chains.values(), *bare) if chain.hook in way]

        def order(chain: Chain) -> tuple[int, int, int]:
            assert chain.hook
            at = NAT_PRIORITIES[chain.hook] if chain.translates else chain.priority
            return way.index(chain.hook), at, chain.priority

        return sorted(own, key=order)

    @staticmethod
    def places(last: Hook) -> tuple[Place, ...]:
        """List where a packet up to a hook may meet chains, in its order."""
        return (*WAYS[last], "postrouting") if last == "forward" else WAYS[last]
