"""Read the box that this machine is."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from linerate.box import Box

_FLAWS = Path("/sys/devices/system/cpu/vulnerabilities")
_CPU0 = Path("/sys/devices/system/cpu/cpu0")


def this_box(nic: str) -> Box:
    """Describe this machine with the card under test; no addresses, no serial numbers."""
    model = _cpu_model()
    cores = os.cpu_count() or 1
    kernel = platform.release()
    return Box(
        name=_slug(f"{model}-{cores}cpu-{kernel.split('-')[0]}-{nic}"),
        cpu_model=model,
        cores=cores,
        threads_per_core=_threads_per_core(),
        memory_gib=round(_memory_kib() / 1024**2, 1),
        kernel=kernel,
        mitigations=_mitigations(),
        governor=_text(_CPU0 / "cpufreq/scaling_governor") or "none",
        hypervisor=_hypervisor(),
        nic=nic,
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def _cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _text(Path("/proc/cpuinfo")), re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def _threads_per_core() -> int:
    siblings = _text(_CPU0 / "topology/thread_siblings_list")
    return len(re.findall(r"\d+", siblings)) or 1


def _memory_kib() -> int:
    found = re.search(r"^MemTotal:\s*(\d+)", _text(Path("/proc/meminfo")), re.MULTILINE)
    return int(found[1]) if found else 0


def _mitigations() -> dict[str, str]:
    """Flaws that cost time on every call or return, and what the kernel does about them."""
    flaws = {path.name: _text(path) for path in sorted(_FLAWS.glob("*"))}
    return {flaw: answer for flaw, answer in flaws.items() if answer != "Not affected"}


def _hypervisor() -> str:
    vendor = _text(Path("/sys/class/dmi/id/sys_vendor"))
    if re.search(r"^flags\s*:.*\bhypervisor\b", _text(Path("/proc/cpuinfo")), re.MULTILINE):
        return vendor or "unnamed"
    return "none"
