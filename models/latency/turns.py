"""Where a packet waits inside a pipeline of DPDK's SWX: for its thread's turn, and to be flushed.

A pipeline keeps up to 16 packets in flight, each with a thread of its own, and executes them in
turn: a thread gives its turn away where it receives and where a lookup has to wait for memory. A
thread without a packet polls its port. What is to be sent is collected until a burst is full, or
until so many instructions were executed that the runner flushes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linerate.models.runs.cells import Array

THREADS = 16
"""Packets in flight: ``RTE_SWX_PIPELINE_THREADS_MAX`` of DPDK 22.11."""
QUANTUM_INSTRUCTIONS = 128
"""Instructions between two flushes where packets come by rings or memif; the runner's."""
TURNS = {"table_exact": 2, "learner": 1, "recirculate": 1}
"""Turns that a kind of operation gives away, by the start of its name: a lookup by a hash waits for
its bucket and for its key, one of a learner for its bucket, and a packet that is sent through again
is received again. A wildcard or LPM table, which searches a tree, gives none away."""
LOOKUPS = ("table", "learner", "selector")
"""Kinds compiled as an instruction by itself; all others become one with what is before them."""

IDLE_MIN = 0.03
"""Share of its time that a saturated pipeline still polls in vain."""


def turns_of(operations: Iterable[tuple[str, int]]) -> int:
    """Count the turns that a packet gives away: one upon its receipt, and those of its operations.

    >>> turns_of([("add", 100), ("table_exact", 5)])
    11
    """
    return 1 + sum(
        times * number
        for kind, times in operations
        for start, number in TURNS.items()
        if kind.startswith(start)
    )


def instructions_of(operations: Iterable[tuple[str, int]]) -> int:
    """Count the instructions that a packet takes of the runner's quantum, polls left out.

    One for what comes before the lookups, one for what comes behind them, one for each of them and
    one for each turn that is given away meanwhile.

    >>> instructions_of([("add", 100)]), instructions_of([("table_exact", 5)])
    (1, 17)
    """
    pairs = tuple(operations)
    lookups = sum(times for kind, times in pairs if kind.startswith(LOOKUPS))
    return turns_of(pairs) + lookups + (1 if lookups else 0)


def instructions_per_us(
    load_mpps: Array, utilisation: Array, instructions: Array, poll_us: Array
) -> Array:
    """Count what a pipeline executes, shape (n,): for packets, and polls in the time that is left.

    Parameters
    ----------
    load_mpps, utilisation
        Of one pipeline, shape (n,).
    instructions
        Of each packet, shape (n,).
    poll_us
        Time of a poll that finds nothing, shape (n,).
    """
    idle = np.maximum(1.0 - utilisation, IDLE_MIN)
    return np.asarray(idle / poll_us + instructions * load_mpps)


def hold_us(load_mpps: Array, burst_packets: Array, per_us: Array) -> Array:
    """Mean time that a packet is held until it is sent, shape (n,).

    Parameters
    ----------
    burst_packets
        What is sent at once.
    per_us
        Instructions a microsecond.
    """
    filled_us = (burst_packets - 1.0) / (2.0 * load_mpps)
    return np.asarray(np.minimum(filled_us, QUANTUM_INSTRUCTIONS / (2.0 * per_us)))
