"""Names of the base costs that a calibration writes into a box, and a prediction reads there."""

from __future__ import annotations

YARDSTICK = "yardstick"
"""Time of the work by which the speeds of two moments, or machines, are compared."""

COST_PARTS = 4
"""Of a base cost's name, points between."""


def cost_name(datapath: str, verdict: str, frame_bytes: int, queues: int) -> str:
    """Name what a hook costs by itself.

    >>> cost_name("xdp_native", "tx", 64, 1)
    'xdp_native.tx.64.1'
    """
    return f"{datapath}.{verdict}.{frame_bytes}.{queues}"
