"""Tools of others, run as our own runners are: before other processes, and gone with us."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from linerate.errors import cannot_here
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.napi import NICE_FIRST
from linerate.measure.system.check import apt
from linerate.measure.system.machine import tool_path

GONE_WITH_US = ("setpriv", "--pdeathsig", "KILL")
"""Prefix of a command that the kernel is to end when the thread that started it ends."""


def tool(name: str, *, why: str, package: str) -> str:
    """Path of a tool.

    Raises
    ------
    CannotHereError
        It is not installed.
    """
    path = tool_path(name)
    if path is None:
        raise cannot_here(name, why=f"it is not installed; {why}", do=apt(package))
    return path


@contextmanager
def ahead_of_all() -> Iterator[None]:
    """Let this thread have a core whenever it wants one, where it may; its children do not.

    Tools that flood every core, before other processes, would keep from running who ends them.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def start(
    namespace: Namespace, command: Sequence[str], *, output: IO[str] | int, words: IO[str] | int
) -> subprocess.Popen[bytes]:
    """Start a tool in a namespace; its standard output goes to ``output``, its errors to ``words``.

    With autogroups a session's nice value counts, and each tool has a session of its own.
    """
    step = NICE_FIRST - os.getpriority(os.PRIO_PROCESS, 0)  # nice counts from our own value
    process = subprocess.Popen(
        namespace.argv(["nice", "-n", str(step), *GONE_WITH_US, *command]),
        stdin=subprocess.DEVNULL, stdout=output, stderr=words, start_new_session=True,
        env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    with suppress(OSError):  # no autogroups in this kernel, or ended already
        Path(f"/proc/{process.pid}/autogroup").write_text(str(NICE_FIRST))
    return process
