"""Tools and libraries: what builds the programs and what the labs call."""

from __future__ import annotations

import re

from linerate.measure.processes.built import build_command, build_folder
from linerate.measure.system.check import Finding, apt
from linerate.measure.system.machine import Machine, tool_line, tool_path

LAB_TOOLS = ("ip", "ethtool", "unshare", "nsenter")
"""What the veth lab starts."""


def tool(name: str, *, why: str, package: str, version_argv: tuple[str, ...]) -> Finding:
    """Check that a tool is on the path and answers with its version."""
    path = tool_path(name)
    line = tool_line(*version_argv) if path else None
    return Finding(
        name=name,
        ok=line is not None,
        detail=line or (f"{path} does not run" if path else "not found on the path"),
        why=why,
        remedy=apt(package),
    )


def clang(machine: Machine) -> Finding:
    """Check for the compiler of BPF programs."""
    return tool(
        "clang",
        why="compiles BPF programs, yours too",
        package="clang llvm",
        version_argv=("clang", "--version"),
    )


def bpftool(machine: Machine) -> Finding:
    """Check for bpftool, which writes the generator's skeleton header."""
    return tool(
        "bpftool",
        why="builds the veth lab's generator",
        package="bpftool",
        version_argv=("bpftool", "version"),
    )


def libbpf(machine: Machine) -> Finding:
    """Check for libbpf's headers and their version."""
    header = machine.text("usr/include/bpf/libbpf_version.h")
    digits = re.findall(r"_(?:MAJOR|MINOR)_VERSION (\d+)", header or "")
    ok = len(digits) == 2 and int(digits[0]) >= 1
    return Finding(
        name="libbpf",
        ok=ok,
        detail=f"headers of libbpf {'.'.join(digits)}" if digits else "no headers found",
        why="builds the veth lab's runners (>= 1.0)",
        remedy=apt("libbpf-dev", "libelf-dev", "zlib1g-dev"),
    )


def libxdp(machine: Machine) -> Finding:
    """Check for the headers of libxdp, which the AF_XDP forwarder is built with."""
    there = machine.path("usr/include/xdp/xsk.h").is_file()
    return Finding(
        name="libxdp",
        ok=there,
        detail="headers found" if there else "no headers found",
        why="builds the runners of af_xdp and chain",
        remedy=apt("libxdp-dev"),
    )


def ssh(machine: Machine) -> Finding:
    """Check for OpenSSH's client, by which the generator host is reached."""
    path = tool_path("ssh")
    return Finding(
        name="ssh",
        ok=path is not None,
        detail=path or "not found on the path",
        why="nic lab: the generator on another host",
        remedy=apt("openssh-client"),
    )


def ping(machine: Machine) -> Finding:
    """Check for ping, whose round trips are measured."""
    return tool(
        "ping",
        why="round trips of a chain, and under a flood",
        package="iputils-ping",
        version_argv=("ping", "-V"),
    )


def hping3(machine: Machine) -> Finding:
    """Check for hping3, the generator of Sampaio (2017)."""
    path = tool_path("hping3")
    return Finding(
        name="hping3",
        ok=path is not None,
        detail=path or "not found on the path",
        why='generator = "hping3" only; ours is faster',
        remedy=apt("hping3"),
    )


def lab_tools(machine: Machine) -> Finding:
    """Check for the commands that set up and read the veth lab."""
    missing = [name for name in LAB_TOOLS if tool_path(name) is None]
    return Finding(
        name="lab_tools",
        ok=not missing,
        detail=f"missing {', '.join(missing)}" if missing else ", ".join(LAB_TOOLS),
        why="veth lab: set-up and counters",
        remedy=apt("iproute2", "ethtool", "util-linux"),
    )


def objects(machine: Machine) -> Finding:
    """Check that the BPF objects and the native runners were built."""
    build = build_folder()
    compiled = sorted(path.name for path in (build / "bpf").glob("*.bpf.o"))
    runners = sorted(
        path.name
        for path in (build / "native").glob("*")
        if path.is_file() and path.stat().st_mode & 0o111
    )
    missing = [
        what
        for what, found in (("BPF objects", compiled), ("native runners", runners))
        if not found
    ]
    count = f"{len(compiled)} BPF objects, {len(runners)} native runners"
    return Finding(
        name="objects",
        ok=not missing,
        detail=f"no {' and no '.join(missing)} under {build}" if missing else count,
        why="veth lab: generator, sink, programs",
        remedy=build_command(),
    )
