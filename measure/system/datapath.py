"""Datapaths: each hook tried for real where root may, judged by the kernel's build otherwise."""

from __future__ import annotations

from linerate.measure.system.check import Finding, apt
from linerate.measure.system.kernel import NEW_KERNEL
from linerate.measure.system.machine import Machine

AS_ROOT = "sudo .venv/bin/linerate doctor"
ON_VETH = ("xdp_native", "xdp_generic", "af_xdp", "tc")
"""Attempts that need the probe's veth pair."""


def tried(machine: Machine, attempt: str, *options: str) -> tuple[bool | None, str]:
    """Say whether an attempt worked or, where none was made, whether the build rules it out.

    Parameters
    ----------
    attempt
        Name of the probe's attempt.
    options
        Kernel build options that it needs.
    """
    veth, outcome = machine.attempt("veth"), machine.attempt(attempt)
    if veth is not None and veth.reason and attempt in ON_VETH:
        return False, f"no veth pair to try it on: {veth.reason}"
    if outcome is not None:
        return outcome.reason is None, outcome.reason or "tried: works"
    absent = [name for name in options if machine.option(name) == "n"]
    if absent:
        return False, f"the kernel was built without {', '.join(absent)}"
    known = [f"{name}={machine.option(name)}" for name in options if machine.option(name)]
    return None, f"not tried without root; {', '.join(known) or 'kernel config not found'}"


def xdp_native(machine: Machine) -> Finding:
    """Check XDP in the driver, on a veth pair."""
    ok, detail = tried(machine, "xdp_native", "CONFIG_BPF_SYSCALL", "CONFIG_VETH")
    return Finding(
        name="xdp_native",
        ok=ok,
        detail=detail,
        why="datapath xdp_native, veth lab's sink",
        remedy=AS_ROOT if ok is None else NEW_KERNEL,
    )


def xdp_generic(machine: Machine) -> Finding:
    """Check XDP on skbs, which works on every driver."""
    ok, detail = tried(machine, "xdp_generic", "CONFIG_BPF_SYSCALL", "CONFIG_VETH")
    return Finding(
        name="xdp_generic",
        ok=ok,
        detail=detail,
        why="datapath xdp_generic",
        remedy=AS_ROOT if ok is None else NEW_KERNEL,
    )


def af_xdp(machine: Machine) -> Finding:
    """Check AF_XDP sockets, in copy mode."""
    ok, detail = tried(machine, "af_xdp", "CONFIG_XDP_SOCKETS")
    return Finding(
        name="af_xdp",
        ok=ok,
        detail=detail,
        why="datapath af_xdp, DPDK's net_af_xdp",
        remedy=AS_ROOT if ok is None else NEW_KERNEL,
    )


def tc(machine: Machine) -> Finding:
    """Check tc's clsact hook with a BPF classifier."""
    ok, detail = tried(machine, "tc", "CONFIG_NET_SCH_INGRESS", "CONFIG_NET_CLS_BPF")
    return Finding(
        name="tc",
        ok=ok,
        detail=detail,
        why="datapaths tc and chain",
        remedy=AS_ROOT if ok is None else apt("iproute2"),
    )


def bridge(machine: Machine) -> Finding:
    """Check the bridge on which the functions of a chain meet."""
    ok, detail = tried(machine, "bridge", "CONFIG_BRIDGE")
    return Finding(
        name="bridge",
        ok=ok,
        detail=detail,
        why="datapath chain: its network",
        remedy=AS_ROOT if ok is None else NEW_KERNEL,
    )


def netfilter(machine: Machine) -> Finding:
    """Check BPF programs on netfilter hooks, there since kernel 6.4."""
    ok, detail = tried(machine, "netfilter_link", "CONFIG_NETFILTER_BPF_LINK")
    return Finding(
        name="netfilter_link",
        ok=ok,
        detail=detail,
        why="datapath netfilter, without a module",
        remedy=AS_ROOT if ok is None else NEW_KERNEL,
    )


def nftables(machine: Machine) -> Finding:
    """Check nftables, with a table of our own in a namespace of our own."""
    ok, detail = tried(machine, "nftables", "CONFIG_NF_TABLES")
    return Finding(
        name="nftables",
        ok=ok,
        detail=detail,
        why="datapath nftables",
        remedy=AS_ROOT if ok is None else apt("nftables"),
    )


def iptables(machine: Machine) -> Finding:
    """Check iptables in both flavours: one of them is enough."""
    flavours = {"nft": "CONFIG_NFT_COMPAT", "legacy": "CONFIG_IP_NF_FILTER"}
    found = {
        flavour: tried(machine, f"iptables_{flavour}", option)
        for flavour, option in flavours.items()
    }
    answers = {ok for ok, _ in found.values()}
    ok = True if True in answers else None if None in answers else False
    return Finding(
        name="iptables",
        ok=ok,
        detail="; ".join(f"{flavour}: {detail}" for flavour, (_, detail) in found.items()),
        why="datapath iptables, either flavour",
        remedy=AS_ROOT if ok is None else apt("iptables"),
    )
