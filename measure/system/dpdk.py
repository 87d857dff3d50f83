"""DPDK: what the optional lab needs."""

from __future__ import annotations

from linerate.measure.processes.built import build_command, build_folder
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
    return Finding(
        name="dpdk",
        ok=version is not None,
        detail=f"libdpdk {version}" if version else "no libdpdk known to pkg-config",
        why='lab dpdk, datapath swx (P4); generator host: generator = "dpdk"',
        remedy=apt("dpdk", "libdpdk-dev", "pkg-config"),
    )


def dpdk_headers(machine: Machine) -> Finding:
    """Check for the internal headers that compiled pipelines include; no -dev package has them."""
    version = build_folder() / "dpdk/include/version"
    there = version.is_file()
    return Finding(
        name="dpdk_headers",
        ok=there,
        detail=f"of {version.read_text().strip()}" if there else f"none under {version.parent}",
        why="lab dpdk: compiles pipelines",
        remedy=build_command(),
    )


def p4c(machine: Machine) -> Finding:
    """Check for the P4 compiler's DPDK backend; pipelines are generated without it."""
    path = tool_path("p4c-dpdk")
    return Finding(
        name="p4c",
        ok=path is not None,
        detail=path or "no p4c-dpdk on the path",
        why="compiles the sources in p4/; optional",
        remedy="build p4c with its DPDK backend (Debian 12 has no package)",
    )
