"""The generator host's side: meets one request after another, and is its own watchdog.

Traffic ends when the requests end (the connection is gone, or the other end was killed), when no
sign of life comes for some seconds (the connection hangs), when its time is over, and with this
process. Nothing is written to a disk, and no process is left.
"""

from __future__ import annotations

import os
import platform
import select
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version

from linerate.errors import LinerateError, bad_input
from linerate.measure.labs.port import PortCounts
from linerate.measure.remote import protocol
from linerate.measure.remote.kind import GeneratorKind, SendingPort
from linerate.measure.remote.protocol import Answer, GeneratorReport
from linerate.measure.remote.traffic import Traffic

IDLE_SECONDS = 900.0
"""With no traffic and no request for so long the agent ends."""
_READ_BYTES = 65536

Guard = Callable[[str], Callable[[], None]]
"""Refuses an interface that must not be touched; what it returns refuses another of that name."""


@dataclass(slots=True, kw_only=True)
class _Sending:
    """Traffic that runs, and what it was asked for."""

    start: protocol.Start
    traffic: Traffic
    before: PortCounts


@dataclass(slots=True, kw_only=True)
class Agent:
    """One connection's agent."""

    kinds: Mapping[str, GeneratorKind]
    guard: Guard
    answer: Callable[[Answer], None]
    """Sends an answer to the device's host."""
    _held: ExitStack = field(default_factory=ExitStack, init=False)
    _kind: GeneratorKind | None = field(default=None, init=False)
    _port: SendingPort | None = field(default=None, init=False)
    _check: Callable[[], None] | None = field(default=None, init=False)
    _sending: _Sending | None = field(default=None, init=False)
    _heard_s: float = field(default_factory=time.monotonic, init=False)
    _unread: bytes = field(default=b"", init=False)

    def serve(self, requests_fd: int) -> None:
        """Meet requests until there are no more, or the other end is silent for too long."""
        try:
            while self._turn(requests_fd):
                pass
        finally:
            self._end_traffic()
            self._held.close()

    def _turn(self, requests_fd: int) -> bool:
        """Wait for one thing to happen and see to it; whether to go on."""
        pipes = self._sending.traffic.open_fds if self._sending else []
        left_s = max(0.0, self._next_end_s() - time.monotonic())
        ready = select.select([requests_fd, *pipes], [], [], left_s)[0]
        for fd in ready:
            if fd == requests_fd:
                if not self._hear(requests_fd):
                    return False
            elif self._sending:
                self._sending.traffic.read(fd)
        return self._look_after(silent=not ready)

    def _next_end_s(self) -> float:
        if self._sending is None:
            return self._heard_s + IDLE_SECONDS
        return min(self._heard_s + protocol.SILENCE_SECONDS, self._sending.traffic.end_s)

    def _look_after(self, *, silent: bool) -> bool:
        if self._sending is None:
            return not silent or time.monotonic() < self._heard_s + IDLE_SECONDS
        if not self._sending.traffic.open_fds:
            self._met(self._report)
        elif time.monotonic() >= self._sending.traffic.end_s:
            self._met(self._overdue)
        return self._sending is None or time.monotonic() < self._heard_s + protocol.SILENCE_SECONDS

    def _hear(self, requests_fd: int) -> bool:
        more = os.read(requests_fd, _READ_BYTES)
        if not more or len(self._unread) > protocol.LINE_BYTES_MAX:
            return False
        self._heard_s = time.monotonic()
        *lines, self._unread = (self._unread + more).split(b"\n")
        for line in lines:
            self._met(partial(self._meet, line))
        return True

    def _met(self, act: Callable[[], Answer | None]) -> None:
        """Answer with what an act says, or with why it could not be done."""
        try:
            reply = act()
        except LinerateError as error:
            reply = protocol.Refused(words=str(error)[:2000], exit_code=error.exit_code)
        if reply is not None:
            self.answer(reply)

    def _meet(self, line: bytes) -> Answer | None:
        request = protocol.request_from(line)
        if isinstance(request, protocol.Beat):
            return protocol.Alive()
        if isinstance(request, protocol.Stop):
            self._end_traffic()
            return protocol.Stopped()
        if self._sending is not None:
            raise bad_input(
                "request", request.kind, why="traffic is running", allowed="beat or stop",
                do="stop it first",
            )  # fmt: skip
        if isinstance(request, protocol.Hello):
            return self._welcome()
        if isinstance(request, protocol.Open):
            return self._open(request)
        self._start(request)
        return None

    def _welcome(self) -> Answer:
        return protocol.Welcome(
            version=protocol.VERSION, linerate=version("linerate"), kernel=platform.release(),
            cores=os.cpu_count() or 1, generators=tuple(self.kinds),
        )  # fmt: skip

    def _open(self, request: protocol.Open) -> Answer:
        if request.generator not in self.kinds:
            raise bad_input(
                "generator", request.generator, why="the generator host does not know it",
                allowed=", ".join(self.kinds), do="use one of these",
            )  # fmt: skip
        _check_cores(request.cores)
        kind = self.kinds[request.generator]
        port = kind.port(request.interface)
        self._held.close()
        self._check = self.guard(request.interface)
        port.await_carrier()
        self._kind = kind
        self._port = SendingPort(port=port, cores=request.cores, program=request.program)
        known = self._kind.version(self._port)
        self._held.enter_context(self._kind.hold(self._port))
        return protocol.Opened(driver=port.driver, speed_gbps=port.speed_gbps, version=known)

    def _start(self, start: protocol.Start) -> None:
        if self._kind is None or self._port is None or self._check is None:
            raise bad_input(
                "request", "start", why="no interface is open", allowed="start after open",
                do="open one first",
            )  # fmt: skip
        self._check()
        self._port.port.require()
        argv = self._kind.argv(self._port, start)
        before = self._port.port.counts()
        traffic = Traffic(argv, self._kind.start_up_seconds + start.seconds)
        self._sending = _Sending(start=start, traffic=traffic, before=before)

    def _report(self) -> GeneratorReport:
        assert self._sending and self._kind and self._port
        sending, self._sending = self._sending, None
        output = sending.traffic.result()
        counted = self._port.port.counts() - sending.before
        report = self._kind.report(output, sending.start, counted, self._port)
        self._port.port.require()  # a link that went down meanwhile is not a loss of the device
        return report

    def _overdue(self) -> None:
        self._end_traffic()
        raise LinerateError("generator: it did not end in time; it was stopped")

    def _end_traffic(self) -> None:
        if self._sending is not None:
            self._sending.traffic.end()
            self._sending = None


def _check_cores(cores: tuple[int, ...]) -> None:
    here = os.sched_getaffinity(0)
    for core in cores:
        if core not in here:
            raise bad_input(
                "generator_cores", core, why=f"the generator host has {len(here)} core(s)",
                allowed=", ".join(map(str, sorted(here))), do="correct it",
            )  # fmt: skip
