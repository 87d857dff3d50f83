"""Live frames from BPF_PROG_TEST_RUN, redirected into the veth lab, and their sink."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic

from pydantic import TypeAdapter, ValidationError

from linerate.cells import Cell, Load, Mode
from linerate.errors import CannotHereError, LinerateError, bad_input
from linerate.measure.generators.partner import Partner
from linerate.measure.generators.queues import lead_to_device_queues
from linerate.measure.generators.window import run_in_window
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.veth import VethLab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing

BATCH_PACKETS = 64
"""Frames flushed together at full load: one NAPI poll's worth."""
SERIAL_BURST_US = 5.0
"""Link time of one burst in serial mode."""
TCP_FRAME_BYTES_MIN = 90
"""The generator's marks follow the first 16 bytes of a TCP payload."""
PAYLOAD_BYTES_MAX = 16
SOURCES_MAX = 65534
"""Host parts of 198.18.0.0/16."""
_GRACE_SECONDS = 30.0
_PARTNER_SECONDS = 1.0
"""Between two questions whether the partner lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyCounts:
    """The sink's histogram as the runner prints it."""

    sum_ns: int
    max_ns: int
    buckets: tuple[tuple[int, int], ...]
    """Pairs (lower bound in ns, packets)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficReport:
    """What the runner counted in the measured window."""

    began_ns: int = 0
    """When the window began, by the monotonic clock; 0 where that is not reported."""
    duration_ns: int
    intended: int
    sent: int
    received: int
    dropped: Mapping[str, int]
    generator_idle_ns: tuple[int, ...]
    """Time each generator waited for the next packet to be due."""
    generator_run_ns: tuple[int, ...]
    """Run time of each generator's thread; interrupts on its core are in it."""
    generator_wait_ns: tuple[int, ...]
    """Time each generator was ready while another thread held its core."""
    late_ns: int = 0
    """How much longer than asked the window was: whoever ends it had no core."""
    dut_taken_ns: int = 0
    """Longest that others had a core of the device; less than 20 ms is not seen."""
    core_idle_ns: tuple[int, ...] = ()
    """Time that nobody wanted each generator's core, by ticks; empty without device threads."""
    dut_wait_ns: tuple[int, ...]
    dut_thread_ns: tuple[int, ...]
    """Run time of each of the device's threads that was named."""
    dut_rx_packets: int | None = None
    """None where no single device is under test."""
    latency: LatencyCounts | None = None
    stretches_ns: tuple[tuple[float, ...], ...] = ()
    """Of each core: quantiles of the time of a packet over stretches of 50 us and more; empty where
    none were timed."""

    @property
    def held_up_ns(self) -> int:
        """Longest that others held up the trial, but for threads that take turns by design."""
        return max(self.late_ns, self.dut_taken_ns)


_REPORT = TypeAdapter(TrafficReport)


def check_packets(load: Load) -> None:
    """Refuse packets that the generator cannot make.

    Raises
    ------
    BadInputError
        A TCP frame without room for its marks, a long payload, or too many sources.
    """
    packet = load.packet
    smallest = min(size for _, size in load.frame_mix)
    if packet.protocol == "tcp" and smallest < TCP_FRAME_BYTES_MIN:
        raise bad_input(
            "frame_bytes", smallest, why="a TCP frame has no room for the generator's marks",
            allowed=f">= {TCP_FRAME_BYTES_MIN}", do="send larger frames",
        )  # fmt: skip
    if len(packet.payload) > PAYLOAD_BYTES_MAX:
        raise bad_input(
            "payload", packet.payload, why="the generator's marks follow it",
            allowed=f"up to {PAYLOAD_BYTES_MAX} characters", do="shorten it",
        )  # fmt: skip
    if not 1 <= packet.sources <= SOURCES_MAX:
        raise bad_input(
            "sources", packet.sources, why="they are drawn from 198.18.0.0/16",
            allowed=f"1..{SOURCES_MAX}", do="correct it",
        )  # fmt: skip


def send_live_frames(
    lab: VethLab,
    cell: Cell,
    timing: Timing,
    dut_threads: tuple[int, ...],
    window: AbstractContextManager[object] | Partner | None = None,
) -> TrafficReport:
    """Offer a cell's load for one trial and count both ends.

    Parameters
    ----------
    lab, cell, timing
        Where, what and how long.
    dut_threads
        Process ids of the device's NAPI threads.
    window
        Entered when the counted time begins, left when its last packet is through: what else is
        to be counted, or sent, meanwhile. Or a process of the device that gets a mark at both.

    Raises
    ------
    BadInputError
        Packets that the generator cannot make.
    CannotHereError
        The kernel has no live frames (5.18), or rights are missing.
    LinerateError
        The runner failed or did not end.
    """
    flags = [*lab.traffic_flags, *load_flags(cell, timing)]
    if dut_threads:
        flags += ["--dut-threads", ",".join(map(str, dut_threads))]
    if cell.load.pings_per_second:
        lead_to_device_queues(lab)
    return run_traffic(lab.generator, flags, timing, window)


def run_traffic(
    namespace: Namespace,
    flags: Sequence[str],
    timing: Timing,
    window: AbstractContextManager[object] | Partner | None = None,
) -> TrafficReport:
    """Run the generator and sink with these flags in a namespace."""
    argv = namespace.argv([built.runner("traffic"), *flags])
    limit_s = timing.warm_up_seconds + timing.seconds + _GRACE_SECONDS
    try:
        if window is None or isinstance(window, Partner):
            done = _run(argv, limit_s, window)
        else:
            done = run_in_window(argv, limit_s, window)
    except subprocess.TimeoutExpired:
        raise LinerateError(f"traffic: no end after {limit_s:.0f} s; it was stopped") from None
    if done.returncode == CannotHereError.exit_code:
        raise CannotHereError(f"traffic: {last_words(done.stderr)}; see linerate doctor")
    if done.returncode:
        raise LinerateError(f"traffic: {last_words(done.stderr) or done.returncode}")
    return parse_report(done.stdout)


def _run(
    argv: list[str], limit_s: float, partner: Partner | None
) -> subprocess.CompletedProcess[str]:
    """Run the generator; it never ends where it waits for a partner that has."""
    end_s = monotonic() + limit_s
    with subprocess.Popen(
        [*argv, *partner.flags] if partner else argv, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        pass_fds=partner.fds if partner else (),
    ) as generator:  # fmt: skip
        try:
            while True:
                try:
                    answer, words = generator.communicate(timeout=_PARTNER_SECONDS)
                    return subprocess.CompletedProcess(argv, generator.returncode, answer, words)
                except subprocess.TimeoutExpired:
                    if partner:
                        partner.process.check_alive()
                    if monotonic() > end_s:
                        raise
        except BaseException:
            generator.kill()
            raise


def last_words(text: str) -> str:
    """Last three lines of what a runner said: a verifier's log before them helps no user."""
    return " | ".join(line.strip() for line in text.strip().splitlines()[-3:])


def parse_report(line: str) -> TrafficReport:
    """Read the runner's one JSON line."""
    try:
        return _REPORT.validate_python(json.loads(line))
    except (ValueError, ValidationError) as error:
        raise LinerateError(f"traffic: its answer cannot be read: {line[:200]!r}") from error


def load_flags(cell: Cell, timing: Timing) -> list[str]:
    """Say by flags what the generator of a cell sends, from which cores, and how long."""
    return stream_flags(stream_of(cell), timing)


def stream_of(cell: Cell) -> Stream:
    """Say what the generator of a cell sends, and from which cores."""
    return Stream(
        load=cell.load, mode=cell.mode, line_rate_mpps=cell.line_rate_mpps,
        cores=tuple(range(cell.queues)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What a generator sends, whatever it is sent to."""

    load: Load
    mode: Mode
    """Whether the device shares the generator's cores."""
    line_rate_mpps: float
    """Most that the link carries; inf for no limit."""
    cores: tuple[int, ...]
    """Cores that send."""


def stream_flags(stream: Stream, timing: Timing) -> list[str]:
    """Say the same of any stream."""
    check_packets(stream.load)
    load = stream.load
    slots = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    flags = [
        "--frame-bytes", ",".join(slots), *_packet_flags(load), "--flows", str(load.flows),
        *pace_flags(stream, timing),
    ]  # fmt: skip
    return [*flags, "--stamp"] if stream.mode == "split" else flags


def replay_flags(lab: VethLab, path: str, stream: Stream, timing: Timing) -> list[str]:
    """Say by flags that a user's frames are sent as they are, of a file as `plan` writes it."""
    return [*lab.traffic_flags, "--frames", path, *pace_flags(stream, timing)]


def pace_flags(stream: Stream, timing: Timing) -> list[str]:
    """Say by flags when and from where frames are sent, whatever they are."""
    load = stream.load
    one_by_one = stream.mode == "split" and math.isfinite(load.offered_mpps)
    arrivals = {"burst": "constant"}.get(load.arrivals, load.arrivals)
    flags = [
        "--cores", ",".join(map(str, stream.cores)), "--arrivals", arrivals,
        "--batch-packets", str(1 if one_by_one else BATCH_PACKETS),
        "--warm-up-seconds", str(timing.warm_up_seconds), "--seconds", str(timing.seconds),
    ]  # fmt: skip
    if stream.mode == "serial":
        flags.append("--time-stretches")
    if math.isfinite(load.offered_mpps):
        rate = round(load.offered_mpps * 1e6)
        burst = _burst_packets(stream)
        flags += ["--packets-per-second", str(rate), "--burst-packets", str(burst)]
    if math.isfinite(stream.line_rate_mpps):
        flags += ["--link-packets-per-second", str(round(stream.line_rate_mpps * 1e6))]
    return flags


def _packet_flags(load: Load) -> list[str]:
    packet = load.packet
    flags = ["--sources", str(packet.sources)]
    if packet.protocol == "tcp":
        flags += ["--protocol", "tcp", "--tcp-flags", packet.tcp_flags]
        flags += ["--payload-prefix", packet.payload]
    # The answers to a ping come back to the device that the sink is on.
    return [*flags, "--pass-foreign"] if load.pings_per_second else flags


def _burst_packets(stream: Stream) -> int:
    """Packets sent at once when due.

    With a core of its own the device gets each frame when it is due. Sharing one with the
    generator it gets what the link carries in a few microseconds, so that the clock is read once
    a burst; what that saves is the device's.
    """
    load = stream.load
    if stream.mode == "split":
        return load.burst_packets
    due_together = round(load.offered_mpps / len(stream.cores) * SERIAL_BURST_US)
    return max(load.burst_packets, min(due_together, BATCH_PACKETS))
