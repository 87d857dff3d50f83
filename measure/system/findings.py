"""The doctor's survey: every check in order, and what their answers allow."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from linerate.measure.collectors.sharing import sample_sharing
from linerate.measure.datapaths.registry import datapaths as known_datapaths
from linerate.measure.system import (
    collectors,
    cpu,
    datapath,
    dpdk,
    generators,
    kernel,
    privilege,
    tools,
)
from linerate.measure.system.check import Check, Finding
from linerate.measure.system.machine import Machine, look

CHECKS: tuple[Check, ...] = (
    privilege.root,  # first: what is unknown below is unknown for want of it
    kernel.kernel,
    kernel.live_frames,
    kernel.bpf_loop,
    kernel.btf,
    kernel.jit,
    kernel.modules,
    privilege.memlock,
    datapath.xdp_native,
    datapath.xdp_generic,
    datapath.af_xdp,
    datapath.tc,
    datapath.bridge,
    datapath.netfilter,
    datapath.nftables,
    datapath.iptables,
    cpu.cpus,
    cpu.smt,
    cpu.governor,
    cpu.steal,
    cpu.shared_core,
    cpu.mitigations,
    cpu.pmu,
    tools.clang,
    tools.libbpf,
    tools.libxdp,
    tools.bpftool,
    tools.lab_tools,
    tools.ssh,
    tools.ping,
    tools.hping3,
    generators.moongen,
    generators.trex,
    tools.objects,
    dpdk.hugepages,
    dpdk.dpdk,
    dpdk.dpdk_headers,
    dpdk.p4c,
    collectors.bcc,
    collectors.perf,
)
"""In the order that they are printed: from what everything needs to what is optional."""

SHARING_SAMPLE_S = 0.4
"""How long the cores are looked at for others that share them."""
LAB_NEEDS = {
    "veth": ("root", "live_frames", "xdp_native", "lab_tools", "objects"),
    "dpdk": ("root", "dpdk", "dpdk_headers", "objects"),
    "nic": ("root", "objects", "ssh"),
}
"""Findings that each lab cannot do without."""
NO_LAB_NEEDS = ("bcc",)
"""Attempts that take longer than all others together, for findings of no lab."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """Whether this machine can run one lab or datapath."""

    name: str
    can: bool | None
    """None where a finding that it needs is unknown."""
    obstacles: tuple[str, ...]
    """Names of the findings in the way."""


def survey(machine: Machine | None = None) -> list[Finding]:
    """Run every check, in order."""
    if machine is None:
        shared = sample_sharing(os.sched_getaffinity(0), SHARING_SAMPLE_S)
        machine = replace(look(), shared_core_ratio=shared)
    return [check(machine) for check in CHECKS]


def lab_obstacles(lab: str, machine: Machine | None = None) -> list[Finding]:
    """Find what keeps a lab from running here; empty when nothing does.

    A finding that is unknown is an obstacle too: what root was not there to try is not promised.
    """
    needed, machine = LAB_NEEDS[lab], machine or look(leave_out=NO_LAB_NEEDS)
    return [finding for finding in survey(machine) if finding.name in needed and not finding.ok]


def labs(findings: Iterable[Finding]) -> list[Ability]:
    """Which labs this machine can run."""
    return _abilities(LAB_NEEDS, findings)


def datapaths(findings: Iterable[Finding]) -> list[Ability]:
    """Which datapaths this machine can run."""
    return _abilities({name: each.needs for name, each in known_datapaths().items()}, findings)


def _abilities(needs: dict[str, tuple[str, ...]], findings: Iterable[Finding]) -> list[Ability]:
    answers = {finding.name: finding.ok for finding in findings}
    return [
        Ability(
            name=name,
            can=_all(answers[need] for need in needed),
            obstacles=tuple(need for need in needed if not answers[need]),
        )
        for name, needed in needs.items()
    ]


def _all(answers: Iterable[bool | None]) -> bool | None:
    known = set(answers)
    return False if False in known else None if None in known else True
