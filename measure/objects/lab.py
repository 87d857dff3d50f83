"""A user's program, attached to a lab's device, and in the veth lab given its own frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from math import inf, isfinite, nan
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from linerate.cells import Load, Mode
from linerate.measure.generators.live_frames import (
    Stream,
    TrafficReport,
    replay_flags,
    run_traffic,
)
from linerate.measure.labs.device import DeviceLab
from linerate.measure.labs.veth import VethLab, open_veth_lab
from linerate.measure.objects.code.lengths import changes_tails
from linerate.measure.objects.code.spare import without_spare
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.maps.environment import Environment, commands
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.device import failures_are_results
from linerate.stretches import undisturbed_ns
from linerate.units import FRAME_BYTES_MIN

HOOKS = {"xdp_native": "native", "xdp_generic": "generic", "tc": "tc"}
"""Datapaths whose objects are tested and attached, and what the runner calls each hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    attached: str
    table_bytes: int


_REPORT = TypeAdapter(_Report)
_ENDS = TypeAdapter(Ends)
_Lab = TypeVar("_Lab", bound=DeviceLab)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedObject(Generic[_Lab]):
    """A load of a user's program."""

    lab: _Lab
    datapath: str
    process: HeldProcess
    """What holds it there."""
    table_bytes: int
    """What the kernel accounts for its maps."""
    changes_tails: bool
    """Whether it may leave packets of another length at their end."""
    dut_threads: tuple[int, ...]
    """Process ids of the device's NAPI threads; empty in serial mode."""

    def ends(self, *, passed_counted: bool = False) -> Ends:
        """Count what became of packets until now, where it was attached to be counted.

        Parameters
        ----------
        passed_counted
            Whether packets that pass a hook above the driver are counted from now on, which takes
            time.

        Raises
        ------
        DeviceFailedError
            It has ended, or this kernel cannot count there.
        """
        return self.process.parse(_ENDS, self.process.ask("+" if passed_counted else "-"))


@contextmanager
def open_object_lab(
    mode: Mode, queues: int, datapath: str, environment: Environment | None = None
) -> Iterator[VethLab]:
    """Build a lab in which packets come one by one to a hook.

    Above the driver the device takes what is sent to it by NAPI only with receive offload on. Of
    that the generic hook knows nothing; at tc it would merge what comes in a row.

    Raises
    ------
    DeviceFailedError
        The kernel does not take an interface, route or neighbour of the environment.
    """
    above = datapath != "xdp_native"
    with open_veth_lab(mode, queues, gro=above, second_way=environment is not None) as lab:
        if datapath == "tc":
            lab.dut.run(["ip", "link", "set", lab.dut_device, "gro_max_size", "1"])
        if environment is not None:
            with failures_are_results():
                _set_up(lab, environment)
        yield lab


def _set_up(lab: VethLab, environment: Environment) -> None:
    """Set up what programs look into; source addresses are not checked."""
    forwarding = int(environment.forwarding)
    lab.dut.run(
        ["sysctl", "--quiet", "--ignore", "-w", f"net.ipv4.ip_forward={forwarding}",
         f"net.ipv6.conf.all.forwarding={forwarding}", "net.ipv4.conf.all.rp_filter=0",
         *(f"net.ipv4.conf.{name}.rp_filter=0" for name in (lab.dut_device, lab.out_device))]
    )  # fmt: skip
    devices = {"in": lab.dut_device, "out": lab.out_device}
    text = "".join(f"{line}\n" for line in commands(environment, devices))
    lab.dut.run(["ip", "-batch", "-"], text_in=text)


@contextmanager
def attach_object(  # noqa: PLR0913 - one for each part of what is attached
    lab: _Lab, datapath: str, path: Path, entry: str, plan: Path, *, counted: bool = False
) -> Iterator[AttachedObject[_Lab]]:
    """Load a program anew on the lab's device, with its maps filled; gone at the end.

    Parameters
    ----------
    lab, datapath
        Where, and on which hook: of netfilter it is ``prerouting`` or ``input``.
    path, entry
        The object and the name of its program.
    plan
        File of what is set and filled.
    counted
        Whether it is to be counted what becomes of packets.

    Raises
    ------
    DeviceFailedError
        It cannot be loaded or attached; the words are libbpf's or the verifier's.
    """
    counting: list[str | Path] = ["--ends", built.program_object("ends")] if counted else []
    flags: list[str | Path] = [
        "--entry", entry, "--plan", plan, "--dev", lab.dut_device,
        "--hook", HOOKS.get(datapath, datapath), *counting,
    ]  # fmt: skip
    with ExitStack() as stack:
        copy = stack.enter_context(without_spare(path, entry, plan))
        argv = [built.runner("bpf_object"), "--do", "attach", "--object", copy, *flags]
        runner = stack.enter_context(hold_process("object", lab.dut.argv(argv), under_test=True))
        report = runner.parse(_REPORT, runner.first)
        yield AttachedObject(
            lab=lab, datapath=datapath, process=runner, table_bytes=report.table_bytes,
            changes_tails=changes_tails(path, entry), dut_threads=lab.start_dut_threads(),
        )  # fmt: skip


def send_frames(
    attached: AttachedObject[VethLab], plan: Path, timing: Timing,
    window: AbstractContextManager[object] | None = None,
) -> TrafficReport:  # fmt: skip
    """Flood a program's device with a user's frames, as they are; see ``replay_frames``."""
    lab = attached.lab
    flood = Load(frame_mix=((1, FRAME_BYTES_MIN),), arrivals="flood", offered_mpps=inf)
    stream = Stream(load=flood, mode=lab.mode, line_rate_mpps=inf, cores=lab.generator_cores)
    return replay_frames(attached, plan, stream, timing, window)


def replay_frames(
    attached: AttachedObject[VethLab], plan: Path, stream: Stream, timing: Timing,
    window: AbstractContextManager[object] | None = None,
) -> TrafficReport:  # fmt: skip
    """Send a user's frames, as they are, and count both ends; no latency is taken of them.

    Parameters
    ----------
    attached
        What they are sent to.
    plan
        File with the frames and their order.
    stream
        When they are sent; its load's own frames are not.
    timing
        How long.
    window
        Entered where the counted time begins, left when no frame moves any more after it.
    """
    lab, threads = attached.lab, attached.dut_threads
    flags: Sequence[str] = [
        *(["--dut-threads", ",".join(map(str, threads))] if threads else []),
        # A frame that comes again would come as short as the program left it.
        *(["--remake-frames"] if attached.changes_tails else []),
        # As an skb a packet would be copied for an XDP sink where its headroom was used.
        *(["--sink-skbs"] if attached.datapath != "xdp_native" else []),
    ]  # fmt: skip
    own = replay_flags(lab, str(plan), stream, timing)
    return run_traffic(lab.generator, [*own, *flags], timing, window)


def packet_ns(report: TrafficReport) -> float:
    """Time of one packet on one core, ns: generator, device and sink take turns on it.

    Of stretches that nobody disturbed, where these are known; else of the threads' run time, so
    that others on the machine cost time and change no rate.
    """
    alone_ns = undisturbed_packet_ns(report)
    return alone_ns if isfinite(alone_ns) else run_ns(report) / report.sent


def undisturbed_packet_ns(report: TrafficReport) -> float:
    """Take the same of undisturbed stretches alone; nan where these are not known of each core."""
    cores_ns = [undisturbed_ns(quantiles) for quantiles in report.stretches_ns]
    return len(cores_ns) / sum(1.0 / ns for ns in cores_ns) if cores_ns else nan


def run_ns(report: TrafficReport) -> int:
    """Time that the lab's threads ran, generators and the device's own, on all cores, ns."""
    return sum(report.generator_run_ns) + sum(report.dut_thread_ns)
