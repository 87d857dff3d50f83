"""A network namespace without a name: it is gone when the process that holds it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from linerate.errors import LinerateError
from linerate.measure.labs.device import run_command

# The shell holds until its standard input closes. The kernel closes our end of the pipe however
# we end, so after SIGKILL too nothing holds the namespace, and all in it goes with it.
_HOLD = (
    "sh", "-c",
    "mount -t sysfs sysfs /sys && mount -t bpf bpf /sys/fs/bpf && echo ready && exec cat",
)  # fmt: skip
# mount(8) first drops what an ordinary user was given: the kernel is asked without it.
_HOLD_AS_USER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for kind, place in ((b"sysfs", b"/sys"), (b"bpf", b"/sys/fs/bpf")):
    if libc.mount(kind, place, kind, 0, None):
        sys.exit(f"mount {place.decode()}: {os.strerror(ctypes.get_errno())}")
print("ready", flush=True)
sys.stdin.read()
"""
_UNSHARE = ("unshare", "--net", "--mount", "--propagation", "private")
_STOP_SECONDS = 5.0


@dataclass(slots=True)
class Namespace:
    """A network namespace, with a view of /sys and BPF pins of its own, held by one process."""

    _holder: subprocess.Popen[str]

    @classmethod
    def create(cls) -> Namespace:
        """Make a namespace that lives until `close` or the end of this process.

        Raises
        ------
        LinerateError
            The kernel refused; root is needed.
        """
        holder = subprocess.Popen(
            [*_UNSHARE, *_hold()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is ours to handle, not the holder's
        )
        assert holder.stdout and holder.stderr
        if holder.stdout.readline() != "ready\n":
            raise LinerateError(f"network namespace: {holder.stderr.read().strip()}")
        return cls(holder)

    def __enter__(self) -> Namespace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Process id of the holder."""
        return self._holder.pid

    @property
    def path(self) -> str:
        """Path of the namespace, for setns."""
        return f"/proc/{self.pid}/ns/net"

    def sys_class_net(self, device: str) -> Path:
        """Folder of a device's attributes, as the namespace sees them."""
        return Path(f"/proc/{self.pid}/root/sys/class/net/{device}")

    def argv(self, command: Sequence[str | Path], *, pins: bool = False) -> list[str]:
        """Argument list that runs a command inside; with ``pins`` it sees the BPF pins too."""
        mounts = [f"--mount=/proc/{self.pid}/ns/mnt"] if pins else []
        return ["nsenter", f"--net={self.path}", *mounts, *map(str, command)]

    def run(self, command: Sequence[str | Path], *, text_in: str = "", pins: bool = False) -> str:
        """Run a short command inside and return what it printed.

        Raises
        ------
        LinerateError
            It failed; the message carries its words.
        """
        return run_command(self.argv(command, pins=pins), str(command[0]), text_in)

    def close(self) -> None:
        """Let the namespace go."""
        if self._holder.stdin:
            self._holder.stdin.close()
        try:
            self._holder.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._holder.kill()
            self._holder.wait()
        for pipe in (self._holder.stdout, self._holder.stderr):
            if pipe:
                pipe.close()


def _hold() -> Sequence[str]:
    return (sys.executable, "-I", "-S", "-c", _HOLD_AS_USER) if os.geteuid() else _HOLD
