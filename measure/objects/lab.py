"""A user's program, attached in the veth lab and given its own frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from linerate.measure.generators.live_frames import TrafficReport, run_traffic
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.trials.bench import Timing

HOOKS = {"xdp_native": "native", "xdp_generic": "generic"}
"""Datapaths that objects are attached to, and what the runner calls each hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    attached: str
    table_bytes: int


_REPORT = TypeAdapter(_Report)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedObject:
    """A load of a user's program."""

    process: HeldProcess
    """What holds it there."""
    table_bytes: int
    """What the kernel accounts for its maps."""


@contextmanager
def attach_object(
    lab: VethLab, datapath: str, path: Path, entry: str, plan: Path
) -> Iterator[AttachedObject]:
    """Load a program anew on the lab's device, with its maps filled; gone at the end.

    Raises
    ------
    DeviceFailedError
        It cannot be loaded or attached; the words are libbpf's or the verifier's.
    """
    argv: list[str | Path] = [
        built.runner("bpf_object"), "--do", "attach", "--object", path, "--entry", entry,
        "--plan", plan, "--dev", lab.dut_device, "--hook", HOOKS[datapath],
    ]  # fmt: skip
    with hold_process("object", lab.dut.argv(argv), under_test=True) as runner:
        report = runner.parse(_REPORT, runner.first)
        lab.start_dut_threads()
        yield AttachedObject(process=runner, table_bytes=report.table_bytes)


def send_frames(lab: VethLab, datapath: str, plan: Path, timing: Timing) -> TrafficReport:
    """Flood the lab's device with a user's frames, as they are, and count both ends."""
    flags: Sequence[str] = [
        "--dev", GENERATOR_DEVICE, "--dut-dev", lab.dut_device, "--dut-netns", lab.dut.path,
        "--cores", ",".join(map(str, lab.generator_cores)), "--frames", str(plan),
        "--warm-up-seconds", str(timing.warm_up_seconds), "--seconds", str(timing.seconds),
        # As an skb a packet would be copied for an XDP sink where its headroom was used.
        *(["--sink-skbs"] if datapath == "xdp_generic" else []),
    ]  # fmt: skip
    return run_traffic(lab.generator, flags, timing)


def packet_ns(report: TrafficReport) -> float:
    """Time of one packet on one core, ns: generator, device and sink take turns on it.

    Of the generators' run time, so that others on the machine cost time and change no rate.
    """
    return sum(report.generator_run_ns) / report.sent
