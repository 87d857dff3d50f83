"""What this machine can and cannot do; nothing here changes it."""

from linerate.measure.system.check import Finding
from linerate.measure.system.findings import (
    CHECKS,
    Ability,
    datapaths,
    lab_obstacles,
    labs,
    survey,
)
from linerate.measure.system.machine import Machine, look

__all__ = [
    "CHECKS",
    "Ability",
    "Finding",
    "Machine",
    "datapaths",
    "lab_obstacles",
    "labs",
    "look",
    "survey",
]
