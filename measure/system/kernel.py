"""The kernel: its version and the BPF features that the labs stand on."""

from __future__ import annotations

from linerate.measure.system.check import Finding, apt
from linerate.measure.system.machine import Machine

KERNEL_MIN = (5, 18)
"""First kernel with live frames."""
NEW_KERNEL = apt("-t", "bookworm-backports", "linux-image-amd64") + " && sudo reboot"


def kernel(machine: Machine) -> Finding:
    """Check the version: 5.18 brought live frames, 6.4 netfilter links."""
    return Finding(
        name="kernel",
        ok=machine.version >= KERNEL_MIN,
        detail=f"Linux {machine.release}, needs {KERNEL_MIN[0]}.{KERNEL_MIN[1]}",
        why="veth lab: 5.18; datapath netfilter: 6.4",
        remedy=NEW_KERNEL,
    )


def live_frames(machine: Machine) -> Finding:
    """Check that BPF_PROG_TEST_RUN sends real frames: tried, else by version."""
    tried = machine.attempt("live_frames")
    new_enough = machine.version >= KERNEL_MIN
    if tried is None:
        ok, detail = None if new_enough else False, "not tried without root; in since 5.18"
    else:
        ok, detail = tried.reason is None, tried.reason or "one frame sent and dropped"
    return Finding(
        name="live_frames",
        ok=ok,
        detail=detail,
        why="veth lab: Mpps without a NIC",
        remedy=NEW_KERNEL if not new_enough else "sudo .venv/bin/linerate doctor",
    )


def bpf_loop(machine: Machine) -> Finding:
    """Check for the bpf_loop helper by its name in the kernel's own types."""
    try:
        types = machine.path("sys/kernel/btf/vmlinux").read_bytes()
        ok, detail = b"\0bpf_loop\0" in types, "looked up in the kernel's BTF"
    except OSError:
        ok, detail = machine.version >= (5, 17), "by kernel version, there since 5.17"
    return Finding(
        name="bpf_loop",
        ok=ok,
        detail=detail,
        why="programs of thousands of accesses",
        remedy=NEW_KERNEL,
    )


def btf(machine: Machine) -> Finding:
    """Check for the kernel's type information."""
    path = machine.path("sys/kernel/btf/vmlinux")
    ok = path.is_file()
    return Finding(
        name="btf",
        ok=ok,
        detail=f"{path}, {path.stat().st_size / 1e6:.1f} MB" if ok else f"no {path}",
        why="probes and links that fit any kernel",
        remedy=apt("linux-image-amd64") + " (a kernel with CONFIG_DEBUG_INFO_BTF)",
    )


def jit(machine: Machine) -> Finding:
    """Check that BPF programs are compiled, not interpreted."""
    setting = machine.text("proc/sys/net/core/bpf_jit_enable")
    always = machine.option("CONFIG_BPF_JIT_ALWAYS_ON") == "y"
    words = {"0": "off: interpreted", "1": "on", "2": "on, with debug output"}
    detail = words.get(setting or "", "bpf_jit_enable cannot be read")
    return Finding(
        name="bpf_jit",
        ok=True if always else None if setting is None else setting != "0",
        detail=f"{detail}{', built in always on' if always else ''}",
        why="interpreted programs are far slower",
        remedy="sudo sysctl -w net.core.bpf_jit_enable=1",
    )


def modules(machine: Machine) -> Finding:
    """Check whether the kernel can load modules at all."""
    loadable = machine.path("proc/modules").exists()
    disabled = machine.text("proc/sys/kernel/modules_disabled") == "1"
    installed = machine.path(f"lib/modules/{machine.release}").is_dir()
    if not loadable:
        detail = "built without loadable modules"
    elif disabled:
        detail = "switched off until reboot (kernel.modules_disabled)"
    else:
        detail = "loadable" if installed else f"no /lib/modules/{machine.release}"
    return Finding(
        name="modules",
        ok=loadable and not disabled and installed,
        detail=detail,
        why='vfio for DPDK; netfilter with flavour "module"',
        remedy=apt("linux-image-amd64") + " && sudo reboot",
    )
