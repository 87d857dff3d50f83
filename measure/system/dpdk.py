"""DPDK and bcc: what the optional lab and the optional probes need."""

from __future__ import annotations

from linerate.measure.system.check import Finding, apt
from linerate.measure.system.machine import Machine, tool_line, tool_path


def hugepages(machine: Machine) -> Finding:
    """Check for reserved hugepages of any size."""
    counts = {
        folder.name.removeprefix("hugepages-"): int((folder / "nr_hugepages").read_text())
        for folder in sorted(machine.path("sys/kernel/mm/hugepages").glob("hugepages-*"))
        if (folder / "nr_hugepages").is_file()
    }
    reserved = [f"{count} of {size}" for size, count in counts.items() if count]
    return Finding(
        name="hugepages",
        ok=bool(reserved),
        detail=", ".join(reserved) or f"none reserved; sizes: {', '.join(counts) or 'none'}",
        why="lab dpdk is faster with them",
        remedy="sudo sysctl -w vm.nr_hugepages=512",
    )


def dpdk(machine: Machine) -> Finding:
    """Check for DPDK's libraries with their headers."""
    version = tool_line("pkg-config", "--modversion", "libdpdk")
    testpmd = tool_path("dpdk-testpmd")
    detail = f"libdpdk {version}" if version else "no libdpdk known to pkg-config"
    return Finding(
        name="dpdk",
        ok=version is not None,
        detail=f"{detail}; {testpmd or 'no dpdk-testpmd'}",
        why="lab dpdk, datapath swx (P4)",
        remedy=apt("dpdk", "libdpdk-dev", "pkg-config"),
    )


def bcc(machine: Machine) -> Finding:
    """Check for bcc, whose binding belongs to the distribution's Python, and kernel headers."""
    binding = machine.path("usr/lib/python3/dist-packages/bcc").is_dir()
    headers = machine.path(f"lib/modules/{machine.release}/build").is_dir()
    found = f"python3-bpfcc {'there' if binding else 'missing'}"
    return Finding(
        name="bcc",
        ok=binding and headers,
        detail=f"{found}, headers of {machine.release} {'there' if headers else 'missing'}",
        why="column batch_packets_mean",
        remedy=apt("python3-bpfcc", "linux-headers-$(uname -r)"),
    )
