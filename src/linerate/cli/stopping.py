"""Signals that ask a command to stop: each ends it as Ctrl-C does, with a code of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 130
"""Exit code of Ctrl-C, as shells have it: 128 and the signal's number."""


class AskedToStopError(KeyboardInterrupt):
    """SIGTERM or SIGHUP came."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as Ctrl-C, but where they are ignored, as under nohup."""
    asked = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if threading.current_thread() is threading.main_thread()
        and signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in asked:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in asked:
            signal.signal(number, signal.SIG_DFL)


def exit_code_of(stop: KeyboardInterrupt) -> int:
    """Tell the code to end with."""
    return stop.exit_code if isinstance(stop, AskedToStopError) else STOPPED


def _stop(number: int, frame: FrameType | None) -> None:
    raise AskedToStopError(number)
