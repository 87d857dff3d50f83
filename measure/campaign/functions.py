"""Campaigns that put one function on every datapath which has it, so that they can be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import tomli_w

from linerate.errors import bad_input
from linerate.measure.campaign.campaign import Campaign, CampaignFile, campaign_from
from linerate.measure.processes import built

Block = Mapping[str, Any]

XDP = ("xdp_native", "xdp_generic")
LATENCY_MPPS = 0.02
"""Rate at which latency and CPU are measured: below what any datapath here loses packets at."""
SOURCES = {"sources": 4096}
TRIAL_SECONDS, WARM_UP_SECONDS = 0.3, 0.1
ACCESSES = 100
FLOWS = 256
"""Of frames that are replayed to functions in user space."""
FILTERING = ("netfilter", "nftables", "iptables")
FILTERS_ONLY = "our programs and rules there drop a packet or let it go on, and send none back"
OBJECT = "compared.bpf.o"
"""Ours, with each function as a program of XDP and of tc."""
SETTINGS = "accesses.toml"
PREFIXES = ("198.18.0.0/15", *(f"10.{i // 256}.{i % 256}.0/24" for i in range(511)))
RULES = {"count": "update @seen { ip saddr counter } drop",
         "route": f"ip saddr {{ {', '.join(PREFIXES)} }} drop"}  # fmt: skip
"""What nftables does instead of a program: with a set that packets write to, and one of 512
prefixes, which all packets match the first of."""
TABLE = """table {family} compared {{
  set seen {{
    type ipv4_addr; size 65535; flags dynamic;
  }}
  chain first {{
    type filter hook {hook} priority {priority}; policy accept;
    {rule}
  }}
}}
"""
RECENT = """*raw
:PREROUTING ACCEPT [0:0]
-A PREROUTING -m recent --set --name compared --rsource -j DROP
COMMIT
"""
"""What iptables counts sources with: a hash table of addresses, in which each packet leaves its
time."""
IPSET = "".join((
    "create compared hash:net family inet hashsize 1024 maxelem 65536\n",
    *(f"add compared {prefix}\n" for prefix in PREFIXES),
    "*raw\n:PREROUTING ACCEPT [0:0]\n",
    "-A PREROUTING -m set --match-set compared src -j DROP\nCOMMIT\n",
))  # fmt: skip
"""What iptables looks prefixes up in: a hash table of networks, searched length by length."""
WHERE_BUILT = {"so": built.function, "bpf.o": built.program_object}
OTHER_WORK = "its operations are others: see route and count"
UNSENT = "what a pipeline drops is not counted as its service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """What packets are put through."""

    name: str
    does: str
    """What happens to a packet."""
    blocks: tuple[Block, ...]
    """Datapath and program of each kind of cell; ``filter`` where it has a hook."""
    returns: bool = False
    """Whether packets come back, so that there is a latency."""
    operations: Mapping[str, int] | None = None
    """What a pipeline of SWX executes for it; None where none serves it."""
    lacking: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Datapaths that do not have it, and why."""
    texts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Files that its blocks name beside what is built, by name."""
    tools: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Tools of others that some datapaths need for it, beside what they always need."""


def _filters(program: str) -> tuple[Block, ...]:
    hook = {"hook": ["prerouting"]}
    return (
        {"datapath": [*XDP, "tc"], "program": [program]},
        {"datapath": ["netfilter"], "program": [program], "filter": hook},
        {"datapath": ["nftables"], "program": [program], "filter": {"hook": ["ingress"]}},
        {"datapath": ["nftables"], "program": [program], "filter": hook},
        {"datapath": ["iptables"], "program": [program], "filter": {**hook, "flavour": ["nft"]}},
    )


def _hooked(entry: str) -> Block:
    """One of our objects at netfilter, given as a user's is."""
    own = {"entry": [entry], "hook": ["prerouting"]}
    return {"datapath": ["netfilter"], "program": [OBJECT], "object": own, "packet": {}}


def _own(function: str, entry: str) -> Block:
    """One of our functions in user space, given as a user's is: its frames are replayed."""
    return {"datapath": ["af_xdp"], "program": [f"{function}.so"], "function": {"entry": [entry]},
            "packet": {}, "flows": FLOWS}  # fmt: skip


def _on_hooks(entry: str, **settings: list[str]) -> tuple[Block, ...]:
    """One of our objects, given as a user's is: its frames are replayed, too."""
    return tuple(
        {"datapath": datapaths, "program": [OBJECT], "object": {"entry": [name], **settings},
         "packet": {}}
        for datapaths, name in ((list(XDP), entry), (["tc"], f"tc_{entry}"))
    )  # fmt: skip


def _dropping(
    work: str, does: str, own: Block, iptables: Mapping[str, str], tools: Mapping[str, str]
) -> Function:
    """Build a function of filters: nothing comes back, so that netfilter can have it, too."""
    names = {"ingress": f"{work}_ingress.nft", "prerouting": f"{work}_prerouting.nft"}
    places = {"ingress": {"family": "netdev", "hook": 'ingress device "eth0"', "priority": "0"},
              "prerouting": {"family": "ip", "hook": "prerouting", "priority": "-300"}}  # fmt: skip
    rules = [_rules("nftables", name, hook) for hook, name in names.items()]
    rules += [_rules("iptables", name, "prerouting") for name in iptables]
    return Function(
        name=f"drop-{work}", does=does, lacking={"swx": UNSENT}, tools=tools,
        blocks=(*_on_hooks(f"drop_{work}"), own, _hooked(f"netfilter_drop_{work}"), *rules),
        texts={**iptables, **{name: TABLE.format(**places[hook], rule=RULES[work])
                              for hook, name in names.items()}},
    )  # fmt: skip


def _rules(datapath: str, name: str, hook: str) -> Block:
    return {"datapath": [datapath], "program": [name], "ruleset": {"hook": [hook]}, "packet": {}}


def _accesses(number: int) -> Function:
    socket = {"datapath": ["af_xdp"], "program": ["xsk_memcpy"], "memory_accesses": [number]}
    return Function(
        name="accesses", does=f"sent back after {number} memory accesses", returns=True,
        lacking={"swx": OTHER_WORK, **dict.fromkeys(FILTERING, FILTERS_ONLY)},
        blocks=(*_on_hooks("accesses", maps=[SETTINGS]), socket),
        texts={SETTINGS: f"[set]\nmemory_accesses = {number}\n"},
    )  # fmt: skip


FUNCTIONS = (
    Function(name="drop", does="dropped", lacking={"swx": UNSENT},
             blocks=(*_filters("drop_all"), _own("verdicts", "drop"))),
    Function(name="drop-subnet", does="dropped as UDP of one subnet", lacking={"swx": UNSENT},
             blocks=(*_filters("drop_udp_subnet"), _own("filter_subnet", "filter_subnet"))),
    _dropping("route", "dropped after a lookup of the longest prefix", _own("route", "drop_route"),
              iptables={"route_ipset.rules": IPSET}, tools={"iptables": "ipset"}),
    _dropping("count", "counted in a hash table and dropped", _own("count_sources", "drop_count"),
              iptables={"count_recent.rules": RECENT}, tools={}),
    Function(name="forward", does="sent back with its addresses exchanged", returns=True,
             operations={}, lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=(*_on_hooks("swap"), {"datapath": ["af_xdp"], "program": ["xsk_memcpy"]})),
    _accesses(ACCESSES),
    Function(name="route", does="sent back after a lookup of the longest prefix", returns=True,
             operations={"table_lpm": 1}, lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=(*_on_hooks("route"), _own("route", "route"))),
    Function(name="count", does="sent back and counted in a hash table", returns=True,
             operations={"table_exact": 1, "register_read_64": 1, "register_write_64": 1},
             lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=(*_on_hooks("count"), _own("count_sources", "count_sources"))),
)  # fmt: skip


def function_named(name: str, memory_accesses: int | None = None) -> Function:
    """Look a function up.

    Raises
    ------
    BadInputError
        There is none of this name, or a number of accesses for one that makes none.
    """
    found = {each.name: each for each in FUNCTIONS}
    if name not in found:
        raise bad_input("function", name, why="not one that several datapaths have",
                        allowed=", ".join(found), do="take one of these")  # fmt: skip
    if memory_accesses is None:
        return found[name]
    if name != "accesses":
        raise bad_input("memory-accesses", memory_accesses, why=f"{name} makes none",
                        allowed="with accesses", do="leave it out")  # fmt: skip
    return _accesses(memory_accesses)


def comparing(function: Function, frame_bytes: int, repetitions: int) -> Campaign:
    """Plan a campaign of a function on every datapath that has it, in the veth lab.

    Its capacity is measured by a flood, each repetition under a load of its own; where packets come
    back, latency and CPU by a low rate too.
    """
    common = {"queues": [1], "frame_bytes": [frame_bytes]}
    flood = {"mode": "serial", "link_gbps": float("inf"), "offered_mpps": ["flood"],
             "packet": SOURCES}  # fmt: skip
    slow = {"mode": "split", "link_gbps": 10.0, "offered_mpps": [LATENCY_MPPS]}
    cells = [common | flood | dict(block) for block in function.blocks]
    if function.returns:
        cells += [common | slow | dict(block) for block in function.blocks]
    return campaign_from({
        "name": f"compare-{function.name}", "lab": "veth", "repetitions": repetitions,
        "trial_seconds": TRIAL_SECONDS, "warm_up_seconds": WARM_UP_SECONDS, "cells": cells,
    }, f"compare {function.name}")  # fmt: skip


@contextmanager
def laid_out(campaign: Campaign, function: Function) -> Iterator[CampaignFile]:
    """Give a campaign its text, and a folder with what it names, which is gone afterwards.

    Raises
    ------
    CannotHereError
        One of our objects is not built.
    """
    text = tomli_w.dumps(campaign.model_dump(by_alias=True, exclude_unset=True))
    named = {str(name) for block in function.blocks for name in block["program"]}
    with TemporaryDirectory() as folder:
        for name in sorted(named):
            stem, kind = name.partition(".")[::2]
            if kind in WHERE_BUILT:
                copyfile(WHERE_BUILT[kind](stem), Path(folder, name))
        for name, content in function.texts.items():
            Path(folder, name).write_text(content)
        yield CampaignFile(campaign=campaign, text=text, folder=Path(folder))


def comparing_pipeline(function: Function, frame_bytes: int, repetitions: int) -> Campaign | None:
    """Plan the same of a pipeline on one lcore, which makes its packets itself; None without one.

    It is a campaign of its own: pipelines run in another lab.
    """
    if function.operations is None:
        return None
    cell = {"mode": "serial", "datapath": ["swx"], "program": ["forward"],
            "operations": [dict(function.operations)], "pipeline": {"port": ["net_null"]},
            "queues": [1], "frame_bytes": [frame_bytes], "link_gbps": float("inf"),
            "offered_mpps": ["flood"]}  # fmt: skip
    return campaign_from({
        "name": f"compare-{function.name}-swx", "lab": "dpdk", "repetitions": repetitions,
        "trial_seconds": TRIAL_SECONDS, "warm_up_seconds": WARM_UP_SECONDS, "cells": [cell],
    }, f"compare {function.name}")  # fmt: skip


def without(function: Function, absent: Collection[str]) -> Function:
    """Leave datapaths out."""
    blocks = tuple(
        {**block, "datapath": kept}
        for block in function.blocks
        if (kept := [name for name in block["datapath"] if name not in absent])
    )
    operations = None if "swx" in absent else function.operations
    return replace(function, blocks=blocks, operations=operations)
