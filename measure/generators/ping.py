"""Echo requests by the system's own ``ping``: beside a load, or as the load itself."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

from linerate.errors import LinerateError, bad_input
from linerate.measure.generators.buckets import latency_of
from linerate.measure.generators.external import tools
from linerate.measure.labs.namespace import Namespace
from linerate.records import Ping

PINGS_PER_SECOND_MAX = 1000.0
"""``ping`` counts the time between requests in whole milliseconds."""
LINGER_SECONDS = 0.5
"""How long an answer to the last request is waited for; a later one is lost."""
_AFTER_LOAD_SECONDS = 0.1
"""The same beside a load: when that is over nothing holds an answer up any more."""
SLOWEST_RATIO = 4.0
"""``ping`` waits by the kernel's timer ticks: 10 ms may become 16."""
_GRACE_SECONDS = 2.0
_NO_ANSWER = 1
"""What ``ping`` exits with when nothing came back: an answer as well."""

_REPLY = re.compile(r"^\[(\d+\.\d+)\] \d+ bytes from .*? time=([\d.]+) ms(.*)$", re.MULTILINE)
_SENT = re.compile(r"^(\d+) packets transmitted", re.MULTILINE)
_AGAIN = "DUP!"


@dataclass(slots=True, kw_only=True)
class Pings:
    """Requests that go out, evenly spaced, while the context is open.

    To be opened by the thread that outlives it: ``ping`` goes with that one.
    """

    namespace: Namespace
    destination: str
    pings_per_second: float
    """Rounded so that a whole number of milliseconds lies between two."""
    seconds: float
    """How long requests are sent, unless the context closes before."""
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _output: IO[str] | None = field(default=None, init=False)
    _text: str = field(default="", init=False)
    _ended_at_s: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if not 0.0 < self.pings_per_second <= PINGS_PER_SECOND_MAX:
            raise bad_input(
                "pings_per_second", self.pings_per_second,
                why="ping waits for whole milliseconds between requests",
                allowed=f"above 0, up to {PINGS_PER_SECOND_MAX:.0f}", do="correct the rate",
            )  # fmt: skip

    def __enter__(self) -> Pings:
        path = tools.tool("ping", why="it takes round-trip times", package="iputils-ping")
        gap_ms = round(1e3 / self.pings_per_second)
        count = max(1, round(self.seconds * 1e3 / gap_ms))
        command = [
            path, "-n", "-D", "-i", f"{gap_ms / 1e3:.3f}", "-c", str(count),
            "-W", str(LINGER_SECONDS), self.destination,
        ]  # fmt: skip
        # A file: nobody reads a pipe while the load runs, and thousands of replies would fill it.
        self._output = TemporaryFile("w+")
        self._process = tools.start(
            self.namespace, command, output=self._output, words=subprocess.STDOUT
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process
        assert self._output
        self._ended_at_s = time.time()
        if kind is not None:
            self._process.kill()
        try:
            self._process.wait(_AFTER_LOAD_SECONDS)
        except subprocess.TimeoutExpired:
            self._stop()
        with self._output:
            self._output.seek(0)
            self._text = self._output.read()

    def await_all(self) -> None:
        """Wait until every request has been sent and answered, or is lost.

        Raises
        ------
        LinerateError
            That took several times as long as it should.
        """
        assert self._process
        limit_s = SLOWEST_RATIO * self.seconds + LINGER_SECONDS + _GRACE_SECONDS
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise LinerateError(f"ping: no end after {limit_s:.0f} s; it was stopped") from None

    def _stop(self) -> None:
        """End one that is still sending; it says what it counted all the same."""
        assert self._process
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def answer(self) -> Ping:
        """Count what came back, once the context has closed.

        Raises
        ------
        LinerateError
            ``ping`` could not send, or said what cannot be read.
        """
        assert self._process
        if self._process.returncode not in (0, _NO_ANSWER):
            last = " | ".join(self._text.strip().splitlines()[-2:])
            raise LinerateError(f"ping: {last or self._process.returncode}")
        return parse_ping(self._text, self._ended_at_s)


def send_pings(
    namespace: Namespace, destination: str, *, pings_per_second: float, seconds: float
) -> Ping:
    """Send nothing but echo requests, as many as the rate makes in some time.

    Raises
    ------
    BadInputError
        A rate that ``ping`` has not got.
    CannotHereError
        ``ping`` is not installed.
    LinerateError
        It could not send.
    """
    with Pings(
        namespace=namespace,
        destination=destination,
        pings_per_second=pings_per_second,
        seconds=seconds,
    ) as pings:
        pings.await_all()
    return pings.answer()


def parse_ping(text: str, ended_at_s: float) -> Ping:
    """Read what ``ping -D`` printed.

    Parameters
    ----------
    text
        Its whole output.
    ended_at_s
        When the load ended, as seconds since the epoch: a request sent later found none, and is
        not counted.

    Raises
    ------
    LinerateError
        It is not the output of iputils' ``ping``.
    """
    sent = _SENT.search(text)
    if sent is None:
        raise LinerateError(f"ping: its answer cannot be read: {text[-200:]!r}")
    rtts_ns, late = [], 0
    for at_s, rtt_ms, rest in _REPLY.findall(text):
        if _AGAIN in rest:
            continue
        if float(at_s) - float(rtt_ms) / 1e3 > ended_at_s:
            late += 1
        else:
            rtts_ns.append(round(float(rtt_ms) * 1e6))
    return Ping(sent=int(sent[1]) - late, received=len(rtts_ns), rtt=latency_of(rtts_ns))
