"""CPUs: how many, how steady, and whether they count their own cycles."""

from __future__ import annotations

import os

from linerate.measure.system.check import Finding
from linerate.measure.system.machine import Machine

COSTLY_MITIGATIONS = ("Safe RET", "Retpolines", "untrained return thunk", "IBPB on")
"""Words of the kernel for what it does on every function return or indirect call."""
STEAL_RATIO_MAX = 0.01
"""More stolen time than this shows in throughput, which repeats within 1-3 %."""

SHARED_CORE_RATIO_MAX = 0.1
"""Of looks, as of the trials of a campaign with the probe."""


def cpus(machine: Machine) -> Finding:
    """Check for a core for the device under test beside the generator's."""
    count = len(os.sched_getaffinity(0))
    return Finding(
        name="cpus",
        ok=count >= 2,
        detail=f"{count} of {os.cpu_count()} usable by this process",
        why="queues <= CPUs; split mode needs 2",
        remedy="give the machine or the process more CPUs (taskset -pc shows its own)",
    )


def smt(machine: Machine) -> Finding:
    """Check that no two queues share the two threads of one core."""
    active = machine.text("sys/devices/system/cpu/smt/active")
    control = machine.text("sys/devices/system/cpu/smt/control") or "not reported"
    return Finding(
        name="smt_off",
        ok=None if active is None else active == "0",
        detail=f"SMT {'active' if active == '1' else 'inactive'}, control: {control}",
        why="two queues could share one core",
        remedy="echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )


def governor(machine: Machine) -> Finding:
    """Check that the clock does not change with the load."""
    folder = machine.path("sys/devices/system/cpu")
    names = {
        text
        for path in sorted(folder.glob("cpu[0-9]*/cpufreq/scaling_governor"))
        if (text := machine.text(str(path.relative_to(machine.root))))
    }
    return Finding(
        name="governor",
        ok=names == {"performance"} if names else None,
        detail=", ".join(sorted(names)) or "no cpufreq (a VM: its host sets it)",
        why="a clock that follows the load",
        remedy="sudo cpupower frequency-set -g performance (apt: linux-cpupower)"
        if names
        else "set it on the host",
    )


def steal(machine: Machine) -> Finding:
    """Check that the hypervisor leaves the CPUs alone, over a short sample."""
    ratio = machine.steal_ratio
    return Finding(
        name="steal",
        ok=None if ratio is None else ratio <= STEAL_RATIO_MAX,
        detail="not sampled" if ratio is None else f"{ratio:.1%} of CPU time just now",
        why="column steal_ratio, verdict suspect",
        remedy="measure when the host is idle, or on a machine without neighbours",
    )


def shared_core(machine: Machine) -> Finding:
    """Check that the cores' other hardware threads are idle: on a VM they may be others'."""
    ratio = machine.shared_core_ratio
    return Finding(
        name="own_cores",
        ok=None if ratio is None else ratio <= SHARED_CORE_RATIO_MAX,
        detail="not sampled" if ratio is None
        else f"others used a core of ours, too, at {ratio:.0%} of looks just now",
        why="column shared_core_ratio, verdict suspect",
        remedy='probes = ["sharing"] in a campaign repeats such trials'
        if ratio is not None else "linerate setup, which builds what looks",
    )  # fmt: skip


def mitigations(machine: Machine) -> Finding:
    """Check whether the kernel pays for processor flaws on each call or return."""
    folder = machine.path("sys/devices/system/cpu/vulnerabilities")
    paid = [
        f"{path.name}: {means}"
        for path in sorted(folder.glob("*"))
        for means in COSTLY_MITIGATIONS
        if means in (machine.text(str(path.relative_to(machine.root))) or "")
    ]
    return Finding(
        name="fast_calls",
        ok=not paid if folder.is_dir() else None,
        detail=", ".join(paid) or ("no costly mitigation" if folder.is_dir() else "not reported"),
        why="kernel paths may take twice the time",
        remedy="compare rates only between like machines; alone on yours: boot mitigations=off",
    )


def pmu(machine: Machine) -> Finding:
    """Check for hardware performance counters, by opening one."""
    counter = machine.attempt("pmu")
    if counter is None:
        ok, detail = None, "not tried"
    elif counter.reason is None:
        ok, detail = True, "cycle counter opened"
    elif machine.path("sys/bus/event_source/devices/cpu").exists():
        ok, detail = False, f"there is one, but: {counter.reason}"
    else:
        ok, detail = False, "no cycle counter: most VMs hide it"
    paranoid = "sudo sysctl -w kernel.perf_event_paranoid=1"
    return Finding(
        name="pmu",
        ok=ok,
        detail=detail,
        why="cycles per packet; optional",
        remedy=paranoid if "but" in detail else "use bare metal, or a VM with a virtual PMU",
    )
