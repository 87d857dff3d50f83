"""Ask this kernel what it can do, in a network namespace that ends with this process.

Run as a script of its own, standard library only: it leaves the host's namespace for good, and its
death, by whatever signal, takes every interface, program and table with it. It prints one JSON
object per attempt: what was tried and, unless it worked, why not. Its arguments are the names of
attempts to leave out.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
BPF_CALLS = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361, "s390x": 351}
PERF_EVENT_OPEN_CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}
PROG_LOAD, TEST_RUN, LINK_CREATE = 5, 10, 28
PROG_SCHED_CLS, PROG_XDP, PROG_NETFILTER = 3, 6, 32
ATTACH_XDP, ATTACH_NETFILTER = 37, 45
XDP_DROP, NF_ACCEPT = 1, 1
XDP_SKB_MODE, XDP_DRIVER_MODE = 2, 4
TEST_XDP_LIVE_FRAMES = 2
SOL_XDP, XDP_COPY = 283, 2
XDP_RX_RING, XDP_UMEM_REG, XDP_FILL_RING, XDP_COMPLETION_RING = 2, 4, 5, 6
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
BCC_PROBE = Path(__file__).resolve().parents[1] / "collectors/bcc_probe.py"
END, PEER = "doctor0", "doctor1"
"""The two ends of the veth pair that everything is tried on."""


def called(result: int) -> int:
    """Pass a system call's result on; turn a failure into its OSError."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def bpf(command: int, attributes: bytes) -> int:
    """Make one bpf(2) call; the kernel takes trailing zeros of any length."""
    number = BPF_CALLS.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, f"bpf(2)'s number on {platform.machine()} is not known here")
    block = ctypes.create_string_buffer(attributes, 128)
    return called(LIBC.syscall(number, command, block, 128))


def load(kind: int, verdict: int, attach: int = 0) -> int:
    """Load the smallest program there is, ``return verdict``; its file descriptor."""
    code = ctypes.create_string_buffer(
        struct.pack("<BBhi", 0xB7, 0, 0, verdict) + struct.pack("<BBhi", 0x95, 0, 0, 0)
    )
    license_name = ctypes.create_string_buffer(b"GPL")
    head = struct.pack(
        "=IIQQIIQII", kind, 2, ctypes.addressof(code), ctypes.addressof(license_name), 0, 0, 0, 0, 0
    )
    return bpf(PROG_LOAD, head + struct.pack("=16sII", b"doctor", 0, attach))


def link_xdp(mode: int) -> None:
    """Attach an XDP program to the veth end by a link, which goes with this process."""
    program = load(PROG_XDP, XDP_DROP)
    index = socket.if_nametoindex(END)
    os.close(bpf(LINK_CREATE, struct.pack("=IIII", program, index, ATTACH_XDP, mode)))


def run_live_frames() -> None:
    """Send one frame that the program drops at once; without a context it enters at lo."""
    program = load(PROG_XDP, XDP_DROP)
    frame = ctypes.create_string_buffer(60)
    head = struct.pack("=IIIIQQII", program, 0, 60, 0, ctypes.addressof(frame), 0, 1, 0)
    bpf(TEST_RUN, head + struct.pack("=IIQQIII", 0, 0, 0, 0, TEST_XDP_LIVE_FRAMES, 0, 1))


def bind_af_xdp() -> None:
    """Bind an AF_XDP socket in copy mode, which every driver can, to queue 0."""
    memory = mmap.mmap(-1, 64 * 4096)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    with socket.socket(44, socket.SOCK_RAW, 0) as xsk:
        xsk.setsockopt(SOL_XDP, XDP_UMEM_REG, struct.pack("=QQII", start, 64 * 4096, 4096, 0))
        for ring in (XDP_FILL_RING, XDP_COMPLETION_RING, XDP_RX_RING):
            xsk.setsockopt(SOL_XDP, ring, 64)
        address = struct.pack("=HHIII", 44, XDP_COPY, socket.if_nametoindex(END), 0, 0)
        called(LIBC.bind(xsk.fileno(), address, len(address)))


def link_netfilter() -> None:
    """Attach a program to the IPv4 prerouting hook of this namespace."""
    program = load(PROG_NETFILTER, NF_ACCEPT, ATTACH_NETFILTER)
    head = struct.pack("=IIII", program, 0, ATTACH_NETFILTER, 0)
    os.close(bpf(LINK_CREATE, head + struct.pack("=IIiI", socket.AF_INET, 0, -128, 0)))


def run(*argv: str) -> None:
    """Run a tool in this namespace; its last line of complaint becomes the error."""
    if shutil.which(argv[0]) is None:
        raise FileNotFoundError(errno.ENOENT, f"{argv[0]} is not installed")
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=5.0, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines() or ["it failed silently"]
        raise OSError(done.returncode, complaint[-1])


def attach_bcc_probes() -> None:
    """Attach every probe; without standard input they end as soon as they count."""
    kinds = ("--probe", "napi_batches", "--probe", "xdp_errors", "--probe", "softirq")
    run("/usr/bin/python3", "-I", str(BCC_PROBE), *kinds, "--device", END)


def add_clsact() -> None:
    """Add tc's two-way hook and a classifier of one BPF instruction to it."""
    load(PROG_SCHED_CLS, 0)
    run("tc", "qdisc", "add", "dev", END, "clsact")
    run("tc", "filter", "add", "dev", END, "ingress", "bpf", "bytecode", "1,6 0 0 0")


def add_veth() -> None:
    """Create the veth pair, two queues a side, and bring it up."""
    queues = ("numrxqueues", "2", "numtxqueues", "2")
    run("ip", "link", "add", END, *queues, "type", "veth", "peer", "name", PEER, *queues)
    run("ip", "link", "set", END, "up")
    run("ip", "link", "set", PEER, "up")


def add_bridge() -> None:
    """Add a bridge, on which the namespaces of a chain meet."""
    run("ip", "link", "add", "doctorbr", "type", "bridge")


def open_cycle_counter() -> None:
    """Count this process's CPU cycles in user space, which needs no privilege."""
    number = PERF_EVENT_OPEN_CALLS.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, f"perf_event_open(2)'s number on {platform.machine()}")
    exclude_kernel, exclude_hypervisor = 1 << 5, 1 << 6
    head = struct.pack("=IIQQQQQ", 0, 112, 0, 0, 0, 0, exclude_kernel | exclude_hypervisor)
    block = ctypes.create_string_buffer(head, 112)
    os.close(called(LIBC.syscall(number, block, 0, -1, -1, 0)))


ATTEMPTS: tuple[tuple[str, Callable[[], object]], ...] = (
    ("live_frames", run_live_frames),
    ("veth", add_veth),
    ("xdp_native", lambda: link_xdp(XDP_DRIVER_MODE)),
    ("xdp_generic", lambda: link_xdp(XDP_SKB_MODE)),
    ("af_xdp", bind_af_xdp),
    ("tc", add_clsact),
    ("bridge", add_bridge),
    ("netfilter_link", link_netfilter),
    ("nftables", lambda: run("nft", "add", "table", "ip", "doctor")),
    ("iptables_nft", lambda: run("iptables-nft", "-A", "INPUT", "-j", "ACCEPT")),
    ("iptables_legacy", lambda: run("iptables-legacy", "-A", "INPUT", "-j", "ACCEPT")),
    ("bcc", attach_bcc_probes),
)
"""In order: those on the veth pair come after it, what takes longest comes last."""


def attempt(name: str, action: Callable[[], object]) -> bool:
    """Try one thing and report it at once, so that a later hang loses nothing."""
    try:
        action()
        reason = None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or str(error)
    print(json.dumps({"name": name, "reason": reason}), flush=True)
    return reason is None


def main() -> None:
    """Report on the counter, then leave the host's network namespace and try the rest."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.environ["XTABLES_LOCKFILE"] = os.devnull  # iptables-legacy would leave /run/xtables.lock
    os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    attempt("pmu", open_cycle_counter)
    if not attempt("namespace", lambda: called(LIBC.unshare(CLONE_NEWNET))):
        return
    # before kernel 5.11 BPF objects were charged to this limit
    limit = resource.RLIM_INFINITY
    attempt("memlock", lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit)))
    for name, action in ATTEMPTS:
        if name not in sys.argv[1:]:
            attempt(name, action)


if __name__ == "__main__":
    main()
