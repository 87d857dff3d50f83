"""Campaigns that put one function on every datapath which has it, so that they can be compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
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
FILTERING = ("tc", "netfilter", "nftables", "iptables")
FILTERS_ONLY = "our programs there filter, and send nothing back"
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


def _filters(program: str) -> tuple[Block, ...]:
    hook = {"hook": ["prerouting"]}
    return (
        {"datapath": [*XDP, "tc"], "program": [program]},
        {"datapath": ["netfilter"], "program": [program], "filter": hook},
        {"datapath": ["nftables"], "program": [program], "filter": {"hook": ["ingress"]}},
        {"datapath": ["nftables"], "program": [program], "filter": hook},
        {"datapath": ["iptables"], "program": [program], "filter": {**hook, "flavour": ["nft"]}},
    )


def _own(function: str, entry: str) -> Block:
    """One of our functions in user space, given as a user's is: its frames are replayed."""
    return {"datapath": ["af_xdp"], "program": [f"{function}.so"], "function": {"entry": [entry]},
            "packet": {}, "flows": FLOWS}  # fmt: skip


def _looked_up(kind: str, function: str) -> tuple[Block, ...]:
    return (
        {"datapath": list(XDP), "program": ["operations"], "operations": [{kind: 1}]},
        _own(function, function),
    )


def _accesses(number: int) -> tuple[Block, ...]:
    return (
        {"datapath": list(XDP), "program": ["map_lookup"], "memory_accesses": [number]},
        {"datapath": ["af_xdp"], "program": ["xsk_memcpy"], "memory_accesses": [number]},
    )


FUNCTIONS = (
    Function(name="drop", does="dropped", lacking={"swx": UNSENT},
             blocks=(*_filters("drop_all"), _own("verdicts", "drop"))),
    Function(name="drop-subnet", does="dropped as UDP of one subnet", lacking={"swx": UNSENT},
             blocks=(*_filters("drop_udp_subnet"), _own("filter_subnet", "filter_subnet"))),
    Function(name="forward", does="sent back with its addresses exchanged", returns=True,
             operations={}, lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=({"datapath": list(XDP), "program": ["xdp_tx"]}, _accesses(0)[1])),
    Function(name="accesses", does=f"sent back after {ACCESSES} memory accesses", returns=True,
             lacking={"swx": OTHER_WORK, **dict.fromkeys(FILTERING, FILTERS_ONLY)},
             blocks=_accesses(ACCESSES)),
    Function(name="route", does="sent back after a lookup of the longest prefix", returns=True,
             operations={"table_lpm": 1}, lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=_looked_up("lpm_lookup", "route")),
    Function(name="count", does="sent back and counted in a hash table", returns=True,
             operations={"table_exact": 1, "register_read_64": 1, "register_write_64": 1},
             lacking=dict.fromkeys(FILTERING, FILTERS_ONLY),
             blocks=_looked_up("hash_lookup", "count_sources")),
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
    return replace(found[name], does=f"sent back after {memory_accesses} memory accesses",
                   blocks=_accesses(memory_accesses))  # fmt: skip


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


def as_file(campaign: Campaign) -> CampaignFile:
    """Give a campaign its text, and the folder where our functions in user space lie."""
    text = tomli_w.dumps(campaign.model_dump(by_alias=True, exclude_unset=True))
    return CampaignFile(campaign=campaign, text=text, folder=built.functions_folder())


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
