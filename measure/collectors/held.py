"""A collector's process: it lives while we hold its standard input, and no longer."""

from __future__ import annotations

import select
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from linerate.errors import CannotHereError, LinerateError

READY_SECONDS = 30.0
"""Compiling probes takes a fraction of a second where nothing else runs."""
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldProcess:
    """A process that said ``ready``, answers lines, and ends when its standard input closes."""

    name: str
    """What it is, in the words of an error."""
    process: subprocess.Popen[str]
    words: IO[str]
    """What it says to humans; a file, so that it never waits for a reader."""

    def ask(self, line: str, seconds: float) -> str:
        """Send a line and return the one that answers it.

        Raises
        ------
        LinerateError
            It ended, or said nothing in time.
        """
        assert self.process.stdin
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None
        return self.answer(seconds)

    def answer(self, seconds: float) -> str:
        """Wait for its next line."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise LinerateError(f"{self.name}: no answer after {seconds:.0f} s; it was stopped")
        if not (line := self.process.stdout.readline()):
            raise self._failure()
        return line

    def rest(self) -> str:
        """Let it end and return what it still had to print."""
        try:
            return self.process.communicate(timeout=_STOP_SECONDS)[0]
        except subprocess.TimeoutExpired:
            raise LinerateError(f"{self.name}: it does not end; it was stopped") from None

    def _failure(self) -> LinerateError:
        code = self.process.wait(_STOP_SECONDS)
        self.words.seek(0)
        lines = self.words.read().strip().splitlines() or [f"it ended with {code}"]
        words = " | ".join(line.strip() for line in lines[-3:])
        if code == CannotHereError.exit_code:
            return CannotHereError(f"{self.name}: {words}; linerate doctor says how to get it")
        return LinerateError(f"{self.name}: {words}")


@contextmanager
def hold_process(name: str, argv: Sequence[str | Path]) -> Iterator[HeldProcess]:
    """Start a process, wait until it says ``ready``, and end it at the end.

    Raises
    ------
    CannotHereError
        There is no such program, or it said that this machine lacks something.
    LinerateError
        It failed.
    """
    with tempfile.TemporaryFile("w+") as words:
        try:
            process = subprocess.Popen(
                [*map(str, argv)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words,
                text=True, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError:
            raise CannotHereError(
                f"{name}: {argv[0]} is not installed; linerate doctor says how to get it"
            ) from None
        with process:
            held = HeldProcess(name=name, process=process, words=words)
            try:
                held.answer(READY_SECONDS)
                yield held
            finally:
                _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
