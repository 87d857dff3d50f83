"""Names of what limits a rate, as every answer and report says them."""

from __future__ import annotations

from linerate.messages import message

LIMITS = ("service", "kernel_stage", "user_stage", "line", "socket", "nic", "offered")
"""Every name a bottleneck may have; the first three are service, the others ceilings."""
LIMIT_NAMES: dict[str, str] = dict(zip(LIMITS, (
    message("CPU time per packet"), message("CPU time of the kernel stage"),
    message("CPU time of the user stage"), message("line rate"), message("the single socket"),
    message("the NIC"), message("the offered load"),
), strict=True))  # fmt: skip
"""How every answer and report names each."""


def limit_name(limit: str) -> str:
    """Name a bottleneck for a reader; one of a model of the user's own keeps its name.

    >>> limit_name("service")
    'CPU time per packet'
    """
    return LIMIT_NAMES.get(limit, limit)
