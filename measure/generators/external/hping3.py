"""The generator of Sampaio (2017): several processes of hping3, each as fast as it can.

It makes far fewer packets than live frames do, through the sender's own network
stack, and its packets carry no marks: what becomes of them is for the device's counters to say.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from linerate.cells import Cell, Load
from linerate.errors import LinerateError, bad_input
from linerate.measure.generators.external import tools
from linerate.measure.generators.external.sender_counts import SenderCounts, look
from linerate.measure.generators.live_frames import TrafficReport, last_words
from linerate.measure.generators.queues import lead_to_device_queues
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab
from linerate.measure.trials.bench import Timing
from linerate.units import FCS_BYTES

PORT_DISCARD = 9
HEADER_BYTES = {"udp": 14 + 20 + 8 + FCS_BYTES, "tcp": 14 + 20 + 20 + FCS_BYTES}
"""What a frame has beside its payload."""
GAP_US_MAX = 999_999
"""Most microseconds that hping3 waits between two packets."""
_START_SECONDS = 5.0
_SETTLE_SECONDS = 0.02
_GRACE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hping3:
    """How the tool is run."""

    destination: str = "198.19.0.1"
    """Address that packets go to, that of live frames; the generator's namespace needs a way."""
    processes: int = 5
    """In turn on the generator's cores. The study used 5 or 8."""

    def check(self, load: Load) -> None:
        """Refuse a load that hping3 has not got.

        Raises
        ------
        BadInputError
            Several frame sizes, one without room for the payload, or other arrivals or rates.
        """
        _check_shape(load)
        if math.isfinite(load.offered_mpps) and not 1 <= self._gap_us(load) <= GAP_US_MAX:
            raise bad_input(
                "offered_mpps", load.offered_mpps,
                why=f"each of {self.processes} processes waits whole microseconds, below a second",
                allowed=f"{self.processes / GAP_US_MAX:.2g}..{self.processes}",
                do="correct it, or flood",
            )  # fmt: skip

    def send(
        self,
        lab: VethLab,
        cell: Cell,
        timing: Timing,
        dut_threads: tuple[int, ...],
        window: AbstractContextManager[object] | None = None,
    ) -> TrafficReport:
        """Offer a cell's load for one trial, and count what the sending device sent.

        Parameters
        ----------
        lab, cell, timing, dut_threads, window
            As for live frames.

        Returns
        -------
        Report of the same form. Nothing tells packets that come back from others, nor the turns
        that processes take on a core from contention: ``received`` counts all, and
        ``generator_wait_ns`` is zero.

        Raises
        ------
        BadInputError
            A load that hping3 has not got.
        CannotHereError
            hping3 is not installed.
        LinerateError
            It does not send, or ended early.
        """
        self.check(cell.load)
        lead_to_device_queues(lab)
        command = self._command(cell.load, timing)
        with tools.ahead_of_all(), self._started(lab, command) as stop:
            _await_first_packet(lab)
            time.sleep(timing.warm_up_seconds)
            with window or nullcontext():
                begin = look(lab, dut_threads)
                time.sleep(timing.seconds)
                stop()
                duration_ns = time.monotonic_ns() - begin.at_ns
                time.sleep(_SETTLE_SECONDS)
                end = look(lab, dut_threads)
        return _report(cell.load, begin, end, duration_ns)

    def _gap_us(self, load: Load) -> int:
        return round(self.processes / load.offered_mpps)

    def _command(self, load: Load, timing: Timing) -> list[str]:
        """Argument list of one process; it cannot outlast ``timeout``, nor that one us."""
        packet = load.packet
        hping3 = tools.tool("hping3", why="it is the generator asked for", package="hping3")
        limit_s = timing.warm_up_seconds + timing.seconds + _GRACE_SECONDS
        pace = ["--flood"] if load.arrivals == "flood" else ["-i", f"u{self._gap_us(load)}"]
        kind = ["--udp"] if packet.protocol == "udp" else [f"-{flag}" for flag in packet.tcp_flags]
        spoofed = ["--rand-source"] if packet.sources > 1 else []
        marked = ["--sign", packet.payload] if packet.payload else []
        return [
            "timeout", "--signal", "KILL", f"{limit_s:.0f}", *tools.GONE_WITH_US, hping3, *pace,
            *kind, *spoofed, *marked, "--data", str(_payload_bytes(load)), "--destport",
            str(PORT_DISCARD), "--interface", GENERATOR_DEVICE, "--numeric", "--quiet",
            self.destination,
        ]  # fmt: skip

    @contextmanager
    def _started(self, lab: VethLab, command: Sequence[str]) -> Iterator[Callable[[], None]]:
        """Run the processes; all have ended when the context does."""
        cores = lab.generator_cores
        running: list[subprocess.Popen[bytes]] = []
        with TemporaryFile("w+") as words:
            try:
                for number in range(self.processes):
                    pinned = ["taskset", "--cpu-list", str(cores[number % len(cores)]), *command]
                    running.append(
                        tools.start(lab.generator, pinned, output=subprocess.DEVNULL, words=words)
                    )
                yield lambda: _stop(running, words)
            finally:
                _end(running)


def _check_shape(load: Load) -> None:
    if load.arrivals not in ("flood", "constant"):
        raise bad_input(
            "arrivals", load.arrivals, why="hping3 floods, or waits evenly between packets",
            allowed="flood, constant", do='use generator = "live_frames"',
        )  # fmt: skip
    sizes = sorted({size for _, size in load.frame_mix})
    if len(sizes) > 1 or _payload_bytes(load) < len(load.packet.payload):
        smallest = HEADER_BYTES[load.packet.protocol] + len(load.packet.payload)
        raise bad_input(
            "frame_bytes", sizes, why="hping3 sends one size, with the payload in it",
            allowed=f"one size, >= {smallest}", do='correct it, or use generator = "live_frames"',
        )  # fmt: skip


def _payload_bytes(load: Load) -> int:
    return load.frame_mix[0][1] - HEADER_BYTES[load.packet.protocol]


def _stop(running: Sequence[subprocess.Popen[bytes]], words: IO[str]) -> None:
    """End all; one that has ended already has sent less than it was counted on to."""
    early = [process for process in running if process.poll() is not None]
    _end(running)
    if early:
        words.seek(0)
        raise LinerateError(f"hping3: it ended early: {last_words(words.read())}")


def _end(running: Sequence[subprocess.Popen[bytes]]) -> None:
    # hping3 is a child of timeout, and of its process group.
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for process in running:
        process.wait()


def _await_first_packet(lab: VethLab) -> None:
    before, end_s = look(lab, ()).sent, time.monotonic() + _START_SECONDS
    while look(lab, ()).sent == before:
        if time.monotonic() > end_s:
            raise LinerateError(
                f"hping3: no packet left {GENERATOR_DEVICE} in {_START_SECONDS:.0f} s; "
                "has its namespace an address and a way to the device?"
            )
        time.sleep(0.005)


def _report(load: Load, begin: SenderCounts, end: SenderCounts, duration_ns: int) -> TrafficReport:
    sent = end.sent - begin.sent
    idle_ns = _differences(begin.idle_ns, end.idle_ns)
    wanted = round(load.offered_mpps * duration_ns / 1e3) if load.arrivals != "flood" else sent
    return TrafficReport(
        duration_ns=duration_ns,
        intended=max(sent, wanted),
        sent=sent,
        received=end.received - begin.received,
        dropped={"dut_ring": end.lost - begin.lost},
        generator_idle_ns=idle_ns,
        generator_run_ns=tuple(max(0, duration_ns - idle) for idle in idle_ns),
        generator_wait_ns=(0,) * len(begin.idle_ns),
        dut_wait_ns=_differences(begin.wait_ns, end.wait_ns),
        dut_thread_ns=_differences(begin.thread_ns, end.thread_ns),
    )


def _differences(begin_ns: Sequence[int], end_ns: Sequence[int]) -> tuple[int, ...]:
    return tuple(late - early for early, late in zip(begin_ns, end_ns, strict=True))
