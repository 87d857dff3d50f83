"""Processes of linerate's that start warm: forked from one that has imported it.

A fresh interpreter needs a second or two for its imports, and the tests that kill, interrupt and
resume campaigns start dozens. The fork server of the standard library imports once; its children
run the very command.
"""

import atexit
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver, get_context
from pathlib import Path
from subprocess import CompletedProcess

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload([
    "linerate.cli.lab.measure", "linerate.measure.tuning", "tests.warm",
    "pyarrow.parquet", "rich.console",
    "linerate.measure.campaign.whole", "linerate.measure.live.drawn", "linerate.programs.times",
    *(f"linerate.measure.datapaths.{name}" for name in (
        "xdp.datapath", "af_xdp.datapath", "af_xdp.own.bench", "filters.datapath",
        "filters.own.bench", "chain.datapath", "swx.datapath", "objects.bench", "nic.bench",
    )),
])  # fmt: skip
"""What campaigns load only as they need it, too: each child would load it anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a child does, and where."""

    words: tuple[str, ...]
    """Arguments of ``linerate``, or of the program."""
    program: str
    """Python to run instead of the command; empty for the command."""
    holder: int | None
    """Process whose network and mounts the child works in."""
    environment: dict[str, str]
    folder: str
    """Where it works; what it prints goes to ``outputs``."""
    outputs: tuple[str, str]


class Warm:
    """A child: what ``subprocess.Popen`` is of a fresh process."""

    def __init__(self, task):
        self.outputs = [Path(path) for path in task.outputs]
        for path in self.outputs:
            path.touch()
        self.process = _FORKS.Process(target=_work, args=(task,))
        self.process.start()

    @property
    def pid(self):
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self):
        return self.process.exitcode

    def poll(self):
        return self.process.exitcode

    def wait(self, timeout=None):
        self.process.join(timeout)
        assert self.process.exitcode is not None, f"it still runs after {timeout} s"
        return self.process.exitcode

    def communicate(self, timeout=None):
        """Wait for its end; what it printed."""
        self.wait(timeout)
        return tuple(path.read_text() for path in self.outputs)

    def readline(self, timeout=60.0):
        """Wait for the first line that it prints."""
        end = time.monotonic() + timeout
        while "\n" not in (output := self.outputs[0].read_text()):
            assert self.returncode is None, self.communicate()
            assert time.monotonic() < end, f"it said nothing within {timeout} s"
            time.sleep(0.01)
        return output.partition("\n")[0]

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self):
        self.process.kill()


def begin():
    """Start the fork server, with the environment of now; it is not a test's own."""
    forkserver.ensure_running()


def start(*words, program="", holder=None, **changed):
    """Start ``linerate`` with these words, or a program.

    ``changed`` are variables of the environment; one that is None is taken out.
    """
    place = tempfile.mkdtemp(dir=_place())
    environment = dict(os.environ) | changed
    return Warm(
        Task(
            words=tuple(map(str, words)), program=program, holder=holder, folder=os.getcwd(),
            environment={name: str(v) for name, v in environment.items() if v is not None},
            outputs=(f"{place}/stdout", f"{place}/stderr"),
        )
    )  # fmt: skip


def run(*words, **named):
    """Run one to its end, as ``subprocess.run`` does."""
    child = start(*words, **named)
    output, errors = child.communicate()
    return CompletedProcess(words, child.wait(), output, errors)


@cache
def _place():
    """Folder of what children print, gone with this process."""
    folder = tempfile.mkdtemp(prefix="warm-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _work(task):
    for fd, path in enumerate(task.outputs, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), fd)
    os.environ.clear()
    os.environ.update(task.environment)
    # Ignored where the tests themselves run in the background of a shell.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if task.holder is not None:
        _enter(task.holder)
    os.chdir(task.folder)
    if task.program:
        sys.argv = ["-c", *task.words]
        exec(task.program, {"__name__": "__main__"})
    else:
        from linerate.cli import main

        sys.argv = ["linerate", *task.words]
        main()


def _enter(holder):
    """Go into the network and mount namespaces of a process; os.setns comes with Python 3.12."""
    setns = ctypes.CDLL(None, use_errno=True).setns
    for fd in [os.open(f"/proc/{holder}/ns/{kind}", os.O_RDONLY) for kind in ("net", "mnt")]:
        if setns(fd, 0):
            raise OSError(ctypes.get_errno(), f"setns of process {holder}")
        os.close(fd)
