"""Live frames from BPF_PROG_TEST_RUN, redirected into the veth lab, and their sink."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from linerate.cells import Cell, Load
from linerate.errors import CannotHereError, LinerateError
from linerate.measure import artifacts
from linerate.measure.bench import Timing
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab

BATCH_PACKETS = 64
"""Frames flushed together at full load: one NAPI poll's worth."""
SERIAL_TRAIN_US = 5.0
"""Link time of one train in serial mode."""
_GRACE_SECONDS = 30.0


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

    duration_ns: int
    intended: int
    sent: int
    received: int
    dut_rx_packets: int
    dropped: Mapping[str, int]
    generator_idle_ns: tuple[int, ...]
    """Time each generator waited for the next packet to be due."""
    generator_wait_ns: tuple[int, ...]
    """Time each generator was ready while another thread held its core."""
    dut_wait_ns: tuple[int, ...]
    dut_thread_ns: tuple[int, ...]
    """Run time of each of the device's NAPI threads."""
    latency: LatencyCounts | None = None


_REPORT = TypeAdapter(TrafficReport)


def send_live_frames(
    lab: VethLab, cell: Cell, timing: Timing, dut_threads: tuple[int, ...]
) -> TrafficReport:
    """Offer a cell's load for one trial and count both ends.

    Raises
    ------
    CannotHereError
        The kernel has no live frames (5.18), or rights are missing.
    LinerateError
        The runner failed or did not end.
    """
    argv = lab.generator.argv([artifacts.runner("traffic"), *_flags(lab, cell, timing)])
    if dut_threads:
        argv += ["--dut-threads", ",".join(map(str, dut_threads))]
    limit = timing.warm_up_seconds + timing.seconds + _GRACE_SECONDS
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=limit, check=False,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LinerateError(f"traffic: no end after {limit:.0f} s; it was stopped") from None
    if done.returncode == CannotHereError.exit_code:
        raise CannotHereError(f"traffic: {last_words(done.stderr)}; see linerate doctor")
    if done.returncode:
        raise LinerateError(f"traffic: {last_words(done.stderr) or done.returncode}")
    return parse_report(done.stdout)


def last_words(text: str) -> str:
    """Last three lines of what a runner said: a verifier's log before them helps no user."""
    return " | ".join(line.strip() for line in text.strip().splitlines()[-3:])


def parse_report(line: str) -> TrafficReport:
    """Read the runner's one JSON line."""
    try:
        return _REPORT.validate_python(json.loads(line))
    except (ValueError, ValidationError) as error:
        raise LinerateError(f"traffic: its answer cannot be read: {line[:200]!r}") from error


def _flags(lab: VethLab, cell: Cell, timing: Timing) -> list[str]:
    load = cell.load
    one_by_one = lab.mode == "split" and math.isfinite(load.offered_mpps)
    slots = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    arrivals = {"burst": "constant"}.get(load.arrivals, load.arrivals)
    flags = [
        "--dev", GENERATOR_DEVICE, "--dut-dev", lab.dut_device, "--dut-netns", lab.dut.path,
        "--cores", ",".join(map(str, lab.generator_cores)), "--frame-bytes", ",".join(slots),
        "--flows", str(load.flows), "--arrivals", arrivals,
        "--batch-packets", str(1 if one_by_one else BATCH_PACKETS),
        "--warm-up-seconds", str(timing.warm_up_seconds), "--seconds", str(timing.seconds),
    ]  # fmt: skip
    if math.isfinite(load.offered_mpps):
        rate = round(load.offered_mpps * 1e6)
        train = _train_packets(lab, load)
        flags += ["--packets-per-second", str(rate), "--train-packets", str(train)]
    if math.isfinite(cell.line_rate_mpps):
        flags += ["--link-packets-per-second", str(round(cell.line_rate_mpps * 1e6))]
    return [*flags, "--stamp"] if lab.mode == "split" else flags


def _train_packets(lab: VethLab, load: Load) -> int:
    """Packets sent at once when due.

    With a core of its own the device gets each frame when it is due. Sharing one with the
    generator it gets what the link carries in a few microseconds, so that the clock is read once
    a train; what that saves is the device's.
    """
    if lab.mode == "split":
        return load.burst_packets
    due_together = round(load.offered_mpps / lab.queues * SERIAL_TRAIN_US)
    return max(load.burst_packets, min(due_together, BATCH_PACKETS))
