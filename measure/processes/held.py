"""A process that lives while we hold its standard input, and no longer, however we end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeVar

from pydantic import TypeAdapter, ValidationError

from linerate.errors import BadInputError, CannotHereError, DeviceFailedError, LinerateError

ANSWER_SECONDS = 5.0
READY_SECONDS = 30.0
"""Compiling probes, or filling the largest tables, takes seconds."""
_STOP_SECONDS = 5.0
_READ_BYTES = 65536
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class HeldProcess:
    """A process that speaks in lines, answers those it is given, and ends with its input."""

    name: str
    """What it is, in the words of an error."""
    process: subprocess.Popen[bytes]
    words: IO[str]
    """What it says to humans; a file, so that it never waits for a reader."""
    under_test: bool = False
    """Whether it is the device under test, whose failures are results."""
    first: str = ""
    """The line that it began with; empty where it begins silently."""
    _output: bytes = field(default=b"", init=False)
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
            raise self.error(f"no answer after {seconds:.0f} s; it was stopped")
        line, _, self._output = self._output.partition(b"\n")
        return line.decode()

    def says(self, seconds: float) -> bool:
        """Whether its next line is there, or comes within some time."""
        assert self.process.stdout
        end = time.monotonic() + seconds
        while b"\n" not in self._output:
            left_s = max(0.0, end - time.monotonic())
            if not select.select([self.process.stdout], [], [], left_s)[0]:
                return False
            more = os.read(self.process.stdout.fileno(), _READ_BYTES)
            if not more:
                raise self.failure()
            self._output += more
        return True

    def rest(self) -> str:
        """Let it end and return what it still had to print."""
        try:
            rest = self.process.communicate(timeout=_STOP_SECONDS)[0]
        except subprocess.TimeoutExpired:
            raise LinerateError(f"{self.name}: it does not end; it was stopped") from None
        return (self._output + rest).decode()

    def check_alive(self) -> None:
        """Raise what became of it where it has ended.

        Raises
        ------
        LinerateError
            With its signal, or its last words.
        """
        if self.process.poll() is not None:
            raise self.failure()

    @property
    def was_killed(self) -> bool:
        """Whether a signal has ended it, so that it put nothing back."""
        return (self.process.poll() or 0) < 0

    def parse(self, kind: TypeAdapter[T], line: str) -> T:
        """Read a line that it wrote, of JSON.

        Raises
        ------
        LinerateError
            It is something else.
        """
        try:
            return kind.validate_json(line)
        except ValidationError as error:
            raise self.error(f"its answer cannot be read: {line[:200]!r}") from error

    def error(self, words: str) -> LinerateError:
        """Build an error of this process."""
        kind = DeviceFailedError if self.under_test else LinerateError
        return kind(f"{self.name}: {words}")

    def failure(self) -> LinerateError:
        """Say how it ended: by which signal, or in its own words."""
        code = self.process.wait(_STOP_SECONDS)
        if code < 0 or self.under_test:
            return self.error(self._ending(code))
        if code == BadInputError.exit_code:
            return BadInputError(f"{self.name}: {self._ending(code)}")
        if code == CannotHereError.exit_code:
            return CannotHereError(
                f"{self.name}: {self._ending(code)}; linerate doctor says what this machine can run"
            )
        return self.error(self._ending(code))

    def _ending(self, code: int) -> str:
        self.words.seek(0)
        lines = self.words.read().partition("Usage:")[0].strip().splitlines()
        last = [line.strip() for line in lines[-3:]]
        if code < 0:
            return f"killed by {_signal_name(-code)}" + (f" after: {last[-1]}" if last else "")
        return " | ".join(last) or f"it ended with exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # of real time: these have no names
        return f"signal {number}"


@contextmanager
def hold_process(
    name: str,
    argv: Sequence[str | Path],
    *,
    greets: bool = True,
    pass_fds: Sequence[int] = (),
    under_test: bool = False,
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
    under_test
        Whether it is the device under test. If it has ended by itself, this is what an error of
        anything else meanwhile comes from, such as of the generator.

    Raises
    ------
    DeviceFailedError
        The device under test failed.
    BadInputError, CannotHereError
        Another process ended with the exit code of one of these; the words are its own.
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
            held = HeldProcess(name=name, process=process, words=words, under_test=under_test)
            try:
                if greets:
                    held.first = held.answer(READY_SECONDS)
                yield held
            except (LinerateError, OSError) as error:
                if under_test and process.poll() is not None:
                    raise held.failure() from error
                raise
            finally:
                _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.close()
    if process.poll() is None and not _ends(process, _STOP_SECONDS):
        process.kill()


def _ends(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it ends within some time; ``Popen.wait`` looks every few ms instead, up to 50."""
    ending = os.pidfd_open(process.pid)
    try:
        return bool(select.select([ending], [], [], seconds)[0])
    finally:
        os.close(ending)
