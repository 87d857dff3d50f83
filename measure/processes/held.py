"""A process that lives while we hold its standard input, and no longer, however we end."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from linerate.errors import BadInputError, CannotHereError, LinerateError

ANSWER_SECONDS = 5.0
READY_SECONDS = 30.0
"""Compiling probes, or filling the largest tables, takes seconds."""
_STOP_SECONDS = 5.0
_READ_BYTES = 65536


@dataclass(slots=True, kw_only=True)
class HeldProcess:
    """A process that speaks in lines, answers those it is given, and ends with its input."""

    name: str
    """What it is, in the words of an error."""
    process: subprocess.Popen[bytes]
    words: IO[str]
    """What it says to humans; a file, so that it never waits for a reader."""
    first: str = ""
    """The line that it began with; empty where it begins silently."""
    _said: bytes = field(default=b"", init=False)
    """Read, and not yet asked for."""

    @property
    def input_fd(self) -> int:
        """File descriptor that others may write lines for it to."""
        assert self.process.stdin
        return self.process.stdin.fileno()

    def ask(self, line: str, seconds: float = ANSWER_SECONDS) -> str:
        """Send a line and return the one that answers it.

        Raises
        ------
        LinerateError
            It ended, or said nothing in time.
        """
        self.tell(line)
        return self.answer(seconds)

    def tell(self, line: str) -> None:
        """Send a line."""
        with suppress(BrokenPipeError):  # it has ended: what it says of that is read next
            os.write(self.input_fd, f"{line}\n".encode())

    def answer(self, seconds: float = ANSWER_SECONDS) -> str:
        """Wait for its next line."""
        if not self.says(seconds):
            raise LinerateError(f"{self.name}: no answer after {seconds:.0f} s; it was stopped")
        line, _, self._said = self._said.partition(b"\n")
        return line.decode()

    def says(self, seconds: float) -> bool:
        """Whether its next line is there, or comes within some time."""
        assert self.process.stdout
        end = time.monotonic() + seconds
        while b"\n" not in self._said:
            left_s = max(0.0, end - time.monotonic())
            if not select.select([self.process.stdout], [], [], left_s)[0]:
                return False
            more = os.read(self.process.stdout.fileno(), _READ_BYTES)
            if not more:
                raise self._failure()
            self._said += more
        return True

    def rest(self) -> str:
        """Let it end and return what it still had to print."""
        try:
            said = self.process.communicate(timeout=_STOP_SECONDS)[0]
        except subprocess.TimeoutExpired:
            raise LinerateError(f"{self.name}: it does not end; it was stopped") from None
        return (self._said + said).decode()

    def _failure(self) -> LinerateError:
        code = self.process.wait(_STOP_SECONDS)
        self.words.seek(0)
        said = self.words.read().partition("Usage:")[0].strip().splitlines()
        words = " | ".join(line.strip() for line in said[-3:]) or f"it ended with {code}"
        if code == BadInputError.exit_code:
            return BadInputError(f"{self.name}: {words}")
        if code == CannotHereError.exit_code:
            return CannotHereError(
                f"{self.name}: {words}; linerate doctor says what this machine can run"
            )
        return LinerateError(f"{self.name}: {words}")


@contextmanager
def hold_process(
    name: str,
    argv: Sequence[str | Path],
    *,
    greets: bool = True,
    pass_fds: Sequence[int] = (),
) -> Iterator[HeldProcess]:
    """Start a process, wait for its first line, and let it end at the end.

    Parameters
    ----------
    name
        What errors call it.
    argv
        Its command.
    greets
        Whether it says a line when it is ready; one that does not is ready when it answers.
    pass_fds
        File descriptors that it gets beside the usual three.

    Raises
    ------
    BadInputError, CannotHereError
        It ended with the exit code of one of these; the words are its own.
    LinerateError
        It failed.
    """
    with tempfile.TemporaryFile("w+") as words:
        try:
            process = subprocess.Popen(
                [*map(str, argv)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words,
                start_new_session=True,  # Ctrl-C is ours to handle, not its
                pass_fds=pass_fds,
            )  # fmt: skip
        except FileNotFoundError:
            raise CannotHereError(
                f"{name}: {argv[0]} is not installed; linerate doctor says how to get it"
            ) from None
        with process:
            held = HeldProcess(name=name, process=process, words=words)
            try:
                if greets:
                    held.first = held.answer(READY_SECONDS)
                yield held
            finally:
                _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
