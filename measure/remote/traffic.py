"""Traffic that is running: one process, bounded in time, that ends with its agent."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.external.tools import GONE_WITH_US
from linerate.measure.generators.live_frames import last_words

GRACE_SECONDS = 20.0
"""Loading programs, starting threads, waiting for the last frame."""
_SAID_BYTES_MAX = 1024 * 1024
_READ_BYTES = 65536
_ERRORS = {error.exit_code: error for error in (BadInputError, CannotHereError)}


class Traffic:
    """A generator's process. What it prints is kept in memory: nothing is written to a disk."""

    def __init__(self, argv: Sequence[str], seconds: float) -> None:
        """Start a generator that is to send for so long."""
        # With a session of its own, all that it starts can be ended at once.
        self._process = subprocess.Popen(
            [*GONE_WITH_US, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout and self._process.stderr
        pipes = (self._process.stdout, self._process.stderr)
        self._open: dict[int, IO[bytes]] = {pipe.fileno(): pipe for pipe in pipes}
        self._kept = dict.fromkeys(self._open, b"")  # what each brought: answer, then words
        self.end_s = time.monotonic() + seconds + GRACE_SECONDS
        """When it is ended if it does not by itself; clock of `time.monotonic`."""

    @property
    def open_fds(self) -> list[int]:
        """Pipes that may still bring something; none when it has ended."""
        return list(self._open)

    def read(self, fd: int) -> None:
        """Take what a pipe brought; close it at its end."""
        more = os.read(fd, _READ_BYTES)
        self._kept[fd] = (self._kept[fd] + more)[-_SAID_BYTES_MAX:]
        if not more:
            self._open.pop(fd).close()

    def result(self) -> str:
        """Read the standard output of a generator that has closed its pipes.

        Raises
        ------
        BadInputError, CannotHereError
            It ended with the exit code of one of these; the words are its own.
        LinerateError
            It failed.
        """
        code = self._wait()
        out, words = (kept.decode(errors="replace") for kept in self._kept.values())
        if code:
            kind = _ERRORS.get(code, LinerateError)
            raise kind(f"generator: {last_words(words) or f'it ended with {code}'}")
        return out

    def end(self) -> None:
        """End it, and all that it started, now."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        while self._open:
            self._open.popitem()[1].close()

    def _wait(self) -> int:
        try:
            return self._process.wait(max(0.0, self.end_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.end()
            raise LinerateError("generator: it does not end; it was stopped") from None
