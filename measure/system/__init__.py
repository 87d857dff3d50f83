"""What this machine can and cannot do; nothing here changes it."""

from linerate.measure.system.check import Finding
from linerate.measure.system.findings import (
    CHECKS,
    Ability,
    datapaths,
    labs,
    survey,
    veth_lab_obstacles,
)
from linerate.measure.system.machine import Machine, look

__all__ = [
    "CHECKS",
    "Ability",
    "Finding",
    "Machine",
    "datapaths",
    "labs",
    "look",
    "survey",
    "veth_lab_obstacles",
]
