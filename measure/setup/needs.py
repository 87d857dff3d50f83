"""What building the runners takes, and the Debian packages that have it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from linerate.measure.system.check import apt
from linerate.measure.system.machine import tool_path

SECONDS_MAX = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A tool, a header or a library."""

    name: str
    """A command, a header as ``#include`` names it (``.h``), or a name of pkg-config (``lib``)."""
    packages: tuple[str, ...]
    """Of Debian and Ubuntu."""
    builds: str
    """What is not built without it."""
    optional: bool = False
    """Whether the veth lab's own datapaths are built without it."""

    def is_there(self) -> bool:
        """Look for it as the build does."""
        if self.name.endswith(".h"):
            return _answers("cc", "-E", "-include", self.name, "-x", "c", "/dev/null")
        if self.name.startswith("lib"):
            return _answers("pkg-config", "--exists", self.name)
        return tool_path(self.name) is not None


RUNNERS = "all runners"
NEEDS = (
    Need(name="make", packages=("make",), builds=RUNNERS),
    Need(name="cc", packages=("gcc",), builds=RUNNERS),
    Need(name="stdio.h", packages=("libc6-dev",), builds=RUNNERS),
    Need(name="linux/bpf.h", packages=("linux-libc-dev",), builds=RUNNERS),
    Need(name="bpf/libbpf.h", packages=("libbpf-dev",), builds=RUNNERS),
    Need(name="libelf.h", packages=("libelf-dev",), builds=RUNNERS),
    Need(name="zlib.h", packages=("zlib1g-dev",), builds=RUNNERS),
    Need(name="pkg-config", packages=("pkg-config",), builds="datapath swx", optional=True),
    Need(name="xdp/xsk.h", packages=("libxdp-dev",), builds="datapaths af_xdp and chain",
         optional=True),
    Need(name="libdpdk", packages=("libdpdk-dev", "dpdk"), builds="datapath swx", optional=True),
)  # fmt: skip
OBJECT_NEEDS = tuple(
    Need(name=name, packages=(package,), builds="BPF programs")
    for name, package in (("clang", "clang"), ("llvm-strip", "llvm"), ("bpftool", "bpftool"))
)
"""Where no wheel carries the objects."""


def missing(*, objects: bool) -> tuple[Need, ...]:
    """Find what is not there of all that building takes.

    Parameters
    ----------
    objects
        Whether BPF objects are compiled, too.
    """
    wanted = (*OBJECT_NEEDS, *NEEDS) if objects else NEEDS
    return tuple(need for need in wanted if not need.is_there())


def install_command(needs: Iterable[Need]) -> str:
    """Command that gets these on Debian and Ubuntu."""
    return apt(*dict.fromkeys(package for need in needs for package in need.packages))


def _answers(*argv: str) -> bool:
    if tool_path(argv[0]) is None:
        return False
    done = subprocess.run(argv, capture_output=True, timeout=SECONDS_MAX, check=False)
    return done.returncode == 0
