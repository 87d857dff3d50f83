"""Campaigns that put one function on every datapath which has it, so that they can be compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from linerate.errors import bad_input
from linerate.measure.campaign.campaign import Campaign, campaign_from

Block = Mapping[str, Any]

XDP = ("xdp_native", "xdp_generic")
LATENCY_MPPS = 0.02
"""Rate at which latency and CPU are measured: below what any datapath here loses packets at."""
SOURCES = {"sources": 4096}
TRIAL_SECONDS, WARM_UP_SECONDS = 0.3, 0.1
ACCESSES = 100


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


def _filters(program: str) -> tuple[Block, ...]:
    hook = {"hook": ["prerouting"]}
    return (
        {"datapath": [*XDP, "tc"], "program": [program]},
        {"datapath": ["netfilter"], "program": [program], "filter": hook},
        {"datapath": ["nftables"], "program": [program], "filter": {"hook": ["ingress"]}},
        {"datapath": ["nftables"], "program": [program], "filter": hook},
        {"datapath": ["iptables"], "program": [program], "filter": {**hook, "flavour": ["nft"]}},
    )


def _accesses(number: int) -> tuple[Block, ...]:
    return (
        {"datapath": list(XDP), "program": ["map_lookup"], "memory_accesses": [number]},
        {"datapath": ["af_xdp"], "program": ["xsk_memcpy"], "memory_accesses": [number]},
    )


FUNCTIONS = (
    Function(name="drop", does="dropped", blocks=_filters("drop_all")),
    Function(name="drop-subnet", does="dropped as UDP to one subnet",
             blocks=_filters("drop_udp_subnet")),
    Function(name="forward", does="sent back with its addresses exchanged", returns=True,
             blocks=({"datapath": list(XDP), "program": ["xdp_tx"]}, _accesses(0)[1])),
    Function(name="accesses", does=f"sent back after {ACCESSES} memory accesses", returns=True,
             blocks=_accesses(ACCESSES)),
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


def without(function: Function, absent: Collection[str]) -> Function:
    """Leave datapaths out."""
    blocks = tuple(
        {**block, "datapath": kept}
        for block in function.blocks
        if (kept := [name for name in block["datapath"] if name not in absent])
    )
    return replace(function, blocks=blocks)
