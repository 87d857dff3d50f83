"""DPDK: what the optional lab needs."""

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
