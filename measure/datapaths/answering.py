"""A process in a namespace that answers each line it is given with one line of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.labs.namespace import Namespace

_STOP_SECONDS = 5.0


@dataclass(slots=True)
class Answering:
    """Such a process; it ends when its standard input closes, so with us, however we end."""

    name: str
    """What errors call it."""
    _process: subprocess.Popen[str]

    def next_line(self) -> str:
        """Next line that it says.

        Raises
        ------
        CannotHereError
            It ended, for want of rights or of support by the kernel.
        LinerateError
            It ended for another reason.
        """
        assert self._process.stdout and self._process.stderr
        if said := self._process.stdout.readline():
            return said
        words = " | ".join(self._process.stderr.read().strip().splitlines()[-3:])
        if self._process.wait(_STOP_SECONDS) == CannotHereError.exit_code:
            raise CannotHereError(
                f"{self.name}: {words}; linerate doctor says what this machine can run"
            )
        raise LinerateError(f"{self.name}: {words or 'it ended'}")

    def ask(self, line: str) -> str:
        """Give it a line; what it answers."""
        assert self._process.stdin
        with suppress(BrokenPipeError):  # it has ended: what it says of that is read next
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        return self.next_line()

    def stop(self) -> None:
        """Let it end."""
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()


@contextmanager
def open_answering(
    namespace: Namespace, name: str, command: Sequence[str | Path]
) -> Iterator[Answering]:
    """Start such a process, stop it at the end."""
    with subprocess.Popen(
        namespace.argv(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        answering = Answering(name, process)
        try:
            yield answering
        finally:
            answering.stop()
