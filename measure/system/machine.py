"""The machine as the checks see it: its files, and its kernel's answers."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from linerate.errors import LinerateError

PROBE = Path(__file__).with_name("probe.py")
PROBE_TIMEOUT_S = 10.0
STEAL_SAMPLE_S = 0.3
TOOL_TIMEOUT_S = 1.0
ROOT_PATH = ":/usr/sbin:/sbin"
"""What a user's path lacks, and sudo's has."""
ENDED_BY_OTHERS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21, "CAP_BPF": 39}
"""Bits of CapEff that the veth lab needs (linux/capability.h)."""
CAPABILITIES_OF_SOME = {
    "CAP_NET_RAW": (13, "af_xdp, chain, legacy iptables"),
    "CAP_SYS_CHROOT": (18, "chain"),
    "CAP_SYS_NICE": (23, "split mode"),
    "CAP_DAC_OVERRIDE": (1, "split mode"),
}
"""Bits that some datapaths and one mode of that lab need, and which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One thing that the kernel was asked to do in a throw-away network namespace."""

    name: str
    reason: str | None
    """Why it did not work; None when it did."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What the checks may look at; tests point ``root`` at a folder of their own."""

    root: Path = Path("/")
    """Where /proc, /sys, /boot, /lib and /usr hang."""
    release: str
    """Kernel release, as ``uname -r`` prints it."""
    attempts: tuple[Attempt, ...] = ()
    """What was tried; what is missing here was not tried."""
    steal_ratio: float | None = None
    """Share of CPU time that the hypervisor gave to others during a short sample, 0 to 1."""
    shared_core_ratio: float | None = None
    """Share of looks at idle cores at which others used them, too, 0 to 1."""

    @property
    def version(self) -> tuple[int, int]:
        """Kernel version, major and minor.

        >>> Machine(release="6.1.0-28-amd64").version
        (6, 1)
        """
        numbers = re.match(r"(\d+)\.(\d+)", self.release)
        return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)

    def path(self, name: str) -> Path:
        """Path of a system file, given without its leading slash."""
        return self.root / name

    def text(self, name: str) -> str | None:
        """Content of a small system file, stripped; None if it is missing or unreadable."""
        try:
            return self.path(name).read_text(errors="replace").strip()
        except OSError:
            return None

    def attempt(self, name: str) -> Attempt | None:
        """Look one attempt up; None if it was not made."""
        return next((attempt for attempt in self.attempts if attempt.name == name), None)

    def option(self, name: str) -> str | None:
        """Value of a kernel build option: ``y``, ``m`` or ``n``; None without a known config."""
        if not self._config:
            return None
        found = re.search(rf"^{name}=(.+)$", self._config, re.MULTILINE)
        return found[1] if found else "n"

    @cached_property
    def _config(self) -> str:
        packed = self.path("proc/config.gz")
        try:
            if packed.exists():
                return gzip.decompress(packed.read_bytes()).decode(errors="replace")
        except OSError:
            return ""
        return self.text(f"boot/config-{self.release}") or ""

    @cached_property
    def missing_capabilities(self) -> tuple[str, ...]:
        """Capabilities of the veth lab that this process lacks."""
        return tuple(name for name, bit in CAPABILITIES.items() if not self._may(bit))

    @cached_property
    def missing_of_some(self) -> tuple[str, ...]:
        """Capabilities that this process lacks and some campaigns need, each with which."""
        return tuple(
            f"{name} ({needs})"
            for name, (bit, needs) in CAPABILITIES_OF_SOME.items()
            if not self._may(bit)
        )

    def _may(self, bit: int) -> bool:
        return is_capable(self.text("proc/self/status") or "", bit)


def is_capable(status: str, bit: int) -> bool:
    r"""Whether the /proc/PID/status of a process gives it a capability of this number.

    >>> is_capable("CapEff:\t0000000000001000\n", 12)
    True
    """
    found = re.search(r"^CapEff:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return bool(found and int(found[1], 16) >> bit & 1)


def look(leave_out: tuple[str, ...] = ()) -> Machine:
    """Look at this machine: probe the kernel and sample the CPUs; changes nothing on it.

    Parameters
    ----------
    leave_out
        Attempts that are not made.
    """
    before, started = cpu_ticks(), time.monotonic()
    attempts = run_probe(leave_out)
    time.sleep(max(0.0, STEAL_SAMPLE_S - (time.monotonic() - started)))
    return Machine(
        release=os.uname().release,
        attempts=attempts,
        steal_ratio=steal_ratio(before, cpu_ticks()),
    )


def run_probe(
    leave_out: tuple[str, ...] = (), timeout_s: float = PROBE_TIMEOUT_S
) -> tuple[Attempt, ...]:
    """Run the probe as a process of its own; one that hangs is killed, its output is kept.

    Raises
    ------
    LinerateError
        Somebody else ended it: what it did not try says nothing of this machine.
    """
    argv = [sys.executable, "-I", "-S", str(PROBE), *leave_out]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=timeout_s, check=False)
        if -done.returncode in ENDED_BY_OTHERS:
            raise LinerateError(
                f"probe: {signal.Signals(-done.returncode).name} ended it before it had tried what "
                "this machine can; nothing was changed; run the command again"
            )
        output = done.stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
    except OSError:  # this interpreter may not be started anew, for instance under another user
        output = b""
    whole_lines = output.decode(errors="replace").split("\n")[:-1]
    return tuple(Attempt(**json.loads(line)) for line in whole_lines)


def cpu_ticks() -> tuple[int, ...]:
    """Ticks of all CPUs together by kind of use, as /proc/stat counts them since boot."""
    first = Path("/proc/stat").read_text().partition("\n")[0]
    return tuple(int(word) for word in first.split()[1:])


def steal_ratio(before: tuple[int, ...], after: tuple[int, ...]) -> float | None:
    """Share of the CPU time between two readings of /proc/stat that was stolen.

    Guest time, behind the eighth field, is part of user time already.

    >>> steal_ratio((0, 0, 0, 0, 0, 0, 0, 0), (70, 0, 0, 20, 0, 0, 0, 10))
    0.1
    """
    ticks = [late - early for early, late in zip(before[:8], after[:8], strict=True)]
    return ticks[7] / sum(ticks) if len(ticks) == 8 and sum(ticks) > 0 else None


def tool_path(name: str) -> str | None:
    """Path of a tool, looked for also where Debian keeps those of root; None without it."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ROOT_PATH)


def tool_line(*argv: str) -> str | None:
    """First line that a tool prints; None if it is missing, fails or hangs."""
    program = tool_path(argv[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            capture_output=True,
            text=True,
            timeout=TOOL_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines and done.returncode == 0 else None
