"""Names of the base costs that a calibration writes into a box, and a prediction reads there."""

from __future__ import annotations

from collections.abc import Mapping

from linerate.box import Cost

YARDSTICK = "yardstick"
"""Time of the work by which the speeds of two moments, or machines, are compared."""

COST_PARTS = 4
"""Of a base cost's name, points between."""

OPERATION = "operation."
"""Begins the name of what one operation of a program costs."""

INSTRUCTION = "instruction"
"""The operation that is one plain instruction."""


def operation_costs(costs: Mapping[str, Cost]) -> dict[str, Cost]:
    """Take what operations cost, by their names; empty where none was calibrated."""
    return {
        name.removeprefix(OPERATION): cost
        for name, cost in costs.items() if name.startswith(OPERATION)
    }  # fmt: skip


def cost_name(datapath: str, verdict: str, frame_bytes: int, queues: int) -> str:
    """Name what a hook costs by itself.

    >>> cost_name("xdp_native", "tx", 64, 1)
    'xdp_native.tx.64.1'
    """
    return f"{datapath}.{verdict}.{frame_bytes}.{queues}"
