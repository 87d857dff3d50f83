"""What a campaign of latency is given where it does not say it: long trials, and a stall probe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TRIAL_SECONDS = 10.0
"""A p99 of shorter trials is that of a few stalls of the machine."""
SAYS = (
    f"trial_seconds is left out: trials of {TRIAL_SECONDS:g} s, since every cell asks for latency; "
    "a p99 of shorter ones is that of a few stalls of the machine"
)
"""What a user is shown of it."""


def with_latency_defaults(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill what a campaign of latency leaves out; another one, and what it names, stay.

    >>> plan = {"lab": "veth", "cells": [{"mode": "split", "offered_mpps": [0.2]}]}
    >>> filled = with_latency_defaults(plan)
    >>> filled["trial_seconds"], filled["probes"]
    (10.0, ['stalls'])
    """
    if not leaves_trials_out(fields):
        return fields
    return {"probes": ["stalls"], **fields, "trial_seconds": TRIAL_SECONDS}


def leaves_trials_out(fields: Mapping[str, Any]) -> bool:
    """Whether a campaign names no length of its trials, and all of its cells ask for latency."""
    blocks = fields.get("cells")
    if "trial_seconds" in fields or fields.get("lab") != "veth" or fields.get("searches"):
        return False
    return isinstance(blocks, list) and bool(blocks) and all(map(_asks_for_latency, blocks))


def _asks_for_latency(block: object) -> bool:
    """Whether a block's device has a core of its own, and a rate that it may carry."""
    if not isinstance(block, Mapping) or block.get("mode") != "split":
        return False
    rates = block.get("offered_mpps")
    return isinstance(rates, list) and bool(rates) and "flood" not in rates
