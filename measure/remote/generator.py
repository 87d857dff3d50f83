"""A generator on another host, as the device's host sees it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from linerate.errors import BadInputError, CannotHereError, LinerateError, cannot_here
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.remote import protocol
from linerate.measure.remote.protocol import Answer, GeneratorReport, Request, answer_from, line_of
from linerate.measure.remote.ssh import SshTarget

HELLO_SECONDS = 60.0
"""Connecting, and starting Python on a host that may be busy."""
OPEN_SECONDS = 60.0
"""A generator that takes a card over from the kernel needs seconds."""
_ERRORS = {error.exit_code: error for error in (BadInputError, CannotHereError)}
_ADVICE = {
    "HOST IDENTIFICATION HAS CHANGED": "the key of {host} is not the one that is known: find out "
    "why; if the host was set up anew, take its old key out with ssh-keygen -R",
    "has changed and you have requested strict checking": "the key of {host} is not the one that "
    "is known: find out why; if the host was set up anew, take its old key out with ssh-keygen -R",
    "Host key verification failed": "the key of {host} is not known: log in once by hand with "
    "ssh {host}, and compare it",
    "Permission denied": "{host} does not take your key: try ssh {host}",
    "not found": "linerate is not where generator_command says on {host}",
    "No such file": "linerate is not where generator_command says on {host}",
}
"""What to do, by words that ssh or the remote shell ends with."""

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteGenerator:
    """A connection to the agent of a generator host."""

    host: str
    welcome: protocol.Welcome
    _held: HeldProcess

    def open(self, request: protocol.Open) -> protocol.Opened:
        """Have a generator made ready on an interface there."""
        return _expect(self._asked(request, OPEN_SECONDS), protocol.Opened, self.host)

    def start(self, request: protocol.Start) -> GeneratorReport:
        """Have a load sent, and wait until that is over.

        Raises
        ------
        BadInputError, CannotHereError
            The generator cannot send it.
        LinerateError
            It failed, or the connection did; the agent's watchdog then ends the traffic.
        """
        with _named(self.host):
            self._held.tell(line_of(request))
            reply = self._report_or_refusal()
        return _expect(reply, GeneratorReport, self.host)

    def _report_or_refusal(self) -> Answer:
        heard_s = time.monotonic()
        while True:
            if self._held.says(protocol.BEAT_SECONDS):
                heard_s = time.monotonic()
                answer = answer_from(self._held.answer())
                if not isinstance(answer, protocol.Alive):
                    return answer
            elif time.monotonic() - heard_s > protocol.SILENCE_SECONDS:
                raise LinerateError(
                    f"no sign of life for {protocol.SILENCE_SECONDS:.0f} s; it hangs, or the "
                    "connection does; its traffic ends by itself"
                )
            else:
                self._held.tell(line_of(protocol.Beat()))

    def _asked(self, request: Request, seconds: float) -> Answer:
        with _named(self.host):
            self._held.tell(line_of(request))
            while True:  # the answer to the last beat may come after the report that ended the wait
                answer = answer_from(self._held.answer(seconds))
                if not isinstance(answer, protocol.Alive):
                    return answer


@contextmanager
def connect(target: SshTarget) -> Iterator[RemoteGenerator]:
    """Log in to a generator host; its agent ends with the context, and with this process.

    Raises
    ------
    CannotHereError
        ssh, or linerate over there, is not installed, or its version is another.
    LinerateError
        The host cannot be reached, or its key is not the one that is known.
    """
    with hold_process("ssh", target.argv(), greets=False) as held:
        with _named(target.host):
            reply = answer_from(held.ask(line_of(protocol.Hello()), HELLO_SECONDS))
        welcome = _expect(reply, protocol.Welcome, target.host)
        if welcome.version != protocol.VERSION:
            raise cannot_here(
                f"generator host {target.host}", why=f"its linerate {welcome.linerate} speaks "
                f"version {welcome.version} of the protocol, this one {protocol.VERSION}",
                do="install the same linerate on both hosts",
            )  # fmt: skip
        yield RemoteGenerator(host=target.host, welcome=welcome, _held=held)


def _expect(answer: Answer, kind: type[A], host: str) -> A:
    if isinstance(answer, protocol.Refused):
        error = _ERRORS.get(answer.exit_code, LinerateError)
        raise error(f"generator host {host}: {answer.words}")
    if not isinstance(answer, kind):
        raise LinerateError(f"generator host {host}: {answer.kind} is not an answer to that")
    return answer


@contextmanager
def _named(host: str) -> Iterator[None]:
    """Say which host an error is about, and what to do where ssh's words show it."""
    try:
        yield
    except LinerateError as error:
        words = str(error)
        advice = next((each for known, each in _ADVICE.items() if known in words), None)
        do = f"; {advice.format(host=host)}" if advice else ""
        raise type(error)(f"generator host {host}: {words}{do}") from error
