"""Privilege: what this process may do."""

from __future__ import annotations

import os
import resource

from linerate.measure.system.check import Finding
from linerate.measure.system.machine import Machine

MEMLOCK_BYTES = 64 * 1024**2
"""Ample for the lab's maps, where a kernel before 5.11 charges them to this limit."""


def root(machine: Machine) -> Finding:
    """Check for root, or the capabilities that stand for it."""
    missing = machine.missing_capabilities
    lacking = (*missing, *machine.missing_of_some)
    user = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    return Finding(
        name="root",
        ok=not missing,
        detail=f"{user}, lacks {', '.join(lacking)}" if lacking else f"{user}, all capabilities",
        why="veth lab: namespaces, BPF programs",
        remedy="sudo .venv/bin/linerate doctor",
    )


def memlock(machine: Machine) -> Finding:
    """Check that the limit on locked memory leaves room for BPF maps and AF_XDP."""
    _, hard_bytes = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    endless = hard_bytes == resource.RLIM_INFINITY
    charged = machine.version < (5, 11)
    size = "unlimited" if endless else f"{hard_bytes // 1024} KiB"
    return Finding(
        name="memlock",
        ok=endless or hard_bytes >= MEMLOCK_BYTES or not charged,
        detail=f"{size}; {'limits' if charged else 'does not limit'} BPF maps",
        why="charged for BPF maps before 5.11",
        remedy="ulimit -l unlimited",
    )
