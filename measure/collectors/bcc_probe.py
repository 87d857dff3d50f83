"""Count at the kernel's tracepoints: NAPI polls, XDP errors, time in softirq.

Run as a script by the distribution's own interpreter, which bcc's binding belongs to; standard
library and bcc only. It says ``ready`` when it counts, answers each line on its standard input by
one JSON object of the counts so far, and ends when that closes or its parent dies; the kernel
detaches its programs then.

bcc compiles against kernel headers at /lib/modules/RELEASE and reads a tracepoint's fields from
tracefs. Where the distribution has no headers for the running kernel its newest ones are shown
there, which does for tracepoints; that, and tracefs, in a mount namespace of this process alone.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import signal
import struct
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

SETUP_FAILED, CANNOT_HERE = 3, 4
PR_SET_PDEATHSIG = 1
CLONE_NEWNS = 0x00020000
MS_REC_PRIVATE = 0x4000 | 1 << 18
MODULES, TRACEFS = Path("/lib/modules"), Path("/sys/kernel/tracing")
BUDGET_PACKETS = 64
"""Packets that a NAPI poll may take (NAPI_POLL_WEIGHT)."""
NAME_BYTES = 16
"""Room of a device's name (IFNAMSIZ)."""
SLOTS = BUDGET_PACKETS + 2
"""Counts of polls by packets: 0 to the budget, and more."""
SOFTIRQS = (
    "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
)  # fmt: skip
"""In the order of the kernel's vectors (linux/interrupt.h)."""

NAPI_BATCHES = """
BPF_PERCPU_ARRAY(polls, u64, %(slots)d);
BPF_PERCPU_ARRAY(polled_packets, u64, 1);

TRACEPOINT_PROBE(napi, napi_poll)
{
	int packets = args->work, one = 0;
	int slot = packets < %(slots)d ? packets : %(slots)d - 1;
	u64 name[2] = {}, *count;

	if (packets < 0)
		return 0;
	TP_DATA_LOC_READ_STR(&name, dev_name, sizeof(name));
	if (!(%(ours)s))
		return 0;
	count = polls.lookup(&slot);
	if (count)
		(*count)++;
	count = polled_packets.lookup(&one);
	if (count)
		*count += packets;
	return 0;
}
"""

XDP_EVENT = """
BPF_HASH(%(counts)s, u32, u64, 1024);

TRACEPOINT_PROBE(xdp, %(event)s)
{
	%(counts)s.increment(args->prog_id);
	return 0;
}
"""

SOFTIRQ = """
BPF_PERCPU_ARRAY(entered_ns, u64, 1);
BPF_PERCPU_ARRAY(softirq_ns, u64, %(vectors)d);

TRACEPOINT_PROBE(irq, softirq_entry)
{
	int one = 0;
	u64 *entered = entered_ns.lookup(&one);

	if (entered)
		*entered = bpf_ktime_get_ns();
	return 0;
}

TRACEPOINT_PROBE(irq, softirq_exit)
{
	int one = 0, vector = args->vec;
	u64 *entered = entered_ns.lookup(&one), *spent = softirq_ns.lookup(&vector);

	/* The first exit may be of one that was entered before we looked. */
	if (entered && spent && *entered)
		*spent += bpf_ktime_get_ns() - *entered;
	return 0;
}
"""

XDP_ERRORS = {
    "xdp_exceptions": ("xdp_exception",),
    "xdp_redirect_errors": ("xdp_redirect_err", "xdp_redirect_map_err"),
}
"""Count -> its tracepoints; kernels before 5.6 have one of their own for maps."""
LIBC = ctypes.CDLL(None, use_errno=True)


class CannotError(Exception):
    """What the probes need is lacking on this machine."""


def called(result: int, what: str) -> None:
    """Turn a failed system call into its error."""
    if result:
        raise CannotError(f"{what}: {os.strerror(ctypes.get_errno())}")


def die_with_parent() -> None:
    """End with the parent however it ends."""
    parent = os.getppid()
    called(LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "prctl")
    if os.getppid() != parent:  # it died in between
        sys.exit(SETUP_FAILED)


def newest_headers() -> dict[str, Path]:
    """Headers of another kernel of the distribution; Debian keeps them in two places."""
    releases = [found.parent for found in MODULES.glob("*/build") if found.is_dir()]
    if not releases:
        raise CannotError(f"no kernel headers in {MODULES}/*/build")
    newest = max(releases, key=lambda folder: numbers(folder.name))
    links = (newest / name for name in ("build", "source"))
    return {link.name: link.resolve() for link in links if link.is_dir()}


def numbers(release: str) -> list[int]:
    """Numbers of a kernel's release, for comparison."""
    return [int(digits) for digits in re.findall(r"\d+", release)]


def prepare_mounts() -> None:
    """Show bcc headers and tracefs where it looks for them; nobody else sees it."""
    called(LIBC.unshare(CLONE_NEWNS), "mount namespace")
    called(LIBC.mount(None, b"/", None, MS_REC_PRIVATE, None), "private mounts")
    if not (TRACEFS / "events").is_dir():
        called(LIBC.mount(b"tracefs", bytes(TRACEFS), b"tracefs", 0, None), "tracefs")
    ours = MODULES / os.uname().release
    if (ours / "build").is_dir():
        return
    headers = newest_headers()
    called(LIBC.mount(b"tmpfs", bytes(MODULES), b"tmpfs", 0, None), str(MODULES))
    ours.mkdir()
    for name, target in headers.items():
        (ours / name).symlink_to(target)


def is_device(device: str) -> str:
    """C condition that a poll's device has this name, compared as two words."""
    low, high = struct.unpack("=QQ", device.encode().ljust(NAME_BYTES, b"\0"))
    return f"(name[0] == {low}ULL && name[1] == {high}ULL)"


def events_of(count: str) -> tuple[str, ...]:
    """Tracepoints of a count that this kernel has."""
    return tuple(e for e in XDP_ERRORS[count] if (TRACEFS / "events/xdp" / e).is_dir())


def program_text(kinds: list[str], devices: list[str]) -> str:
    """C text of the probes asked for."""
    texts = []
    if "napi_batches" in kinds:
        ours = " || ".join(map(is_device, devices))
        texts.append(NAPI_BATCHES % {"slots": SLOTS, "ours": ours})
    if "xdp_errors" in kinds:
        events = [event for count in XDP_ERRORS for event in events_of(count)]
        texts += [XDP_EVENT % {"counts": f"of_{event}", "event": event} for event in events]
    if "softirq" in kinds:
        texts.append(SOFTIRQ % {"vectors": len(SOFTIRQS)})
    return "".join(texts)


def by_program(bpf: Mapping[str, Any], count: str) -> dict[str, int]:
    """Sum events by the id of the program they happened to."""
    found: dict[str, int] = {}
    for event in events_of(count):
        for program, events in bpf[f"of_{event}"].items():
            found[str(program.value)] = found.get(str(program.value), 0) + events.value
    return found


def counts_so_far(bpf: Mapping[str, Any], kinds: list[str]) -> dict[str, object]:
    """Read the counts since the probes were attached."""
    counts: dict[str, object] = {}
    if "napi_batches" in kinds:
        counts["polls"] = [bpf["polls"].sum(slot).value for slot in range(SLOTS)]
        counts["polled_packets"] = bpf["polled_packets"].sum(0).value
    if "xdp_errors" in kinds:
        counts |= {count: by_program(bpf, count) for count in XDP_ERRORS}
    if "softirq" in kinds:
        counts["softirq_ns"] = {
            name: list(bpf["softirq_ns"][vector]) for vector, name in enumerate(SOFTIRQS)
        }
    return counts


def parse_options() -> argparse.Namespace:
    """Read the flags."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    kinds = ("napi_batches", "xdp_errors", "softirq")
    options.add_argument("--probe", action="append", required=True, dest="kinds", choices=kinds)
    options.add_argument("--device", action="append", required=True, dest="devices")
    chosen = options.parse_args()
    for device in chosen.devices:
        if not 0 < len(device.encode()) < NAME_BYTES:
            options.error(f"--device={device}: a name has 1..{NAME_BYTES - 1} bytes")
    return chosen


def attach(kinds: list[str], devices: list[str]) -> Mapping[str, Any]:
    """Load and attach the probes; the kernel detaches them when this process ends.

    Raises
    ------
    CannotError
        bcc, headers, rights or tracepoints are missing.
    """
    try:
        bcc = import_module("bcc")
    except ImportError as error:
        raise CannotError(f"{sys.executable} cannot import bcc ({error})") from error
    prepare_mounts()
    try:
        bpf: Mapping[str, Any] = bcc.BPF(text=program_text(kinds, devices), cflags=["-w"])
    except Exception as error:  # bcc raises nothing more specific
        raise CannotError(f"bcc: {error}") from error
    return bpf


def main() -> int:
    """Attach, then answer until standard input closes."""
    options = parse_options()
    try:
        die_with_parent()
        bpf = attach(options.kinds, options.devices)
    except CannotError as error:
        print(error, file=sys.stderr)
        return CANNOT_HERE
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(counts_so_far(bpf, options.kinds)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
