"""The bench of the user's own objects on the hooks of the veth lab: XDP and tc.

A packet that the program has given its verdict on is forwarded, whatever the verdict: that is its
service. Lost is what never came to it, or could not be sent on as it said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

from linerate.cells import Cell, Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.datapath import LabBench
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames, stream_of
from linerate.measure.labs.veth import VethLab, check_cores
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.lab import (
    AttachedObject,
    attach_object,
    open_object_lab,
    replay_frames,
)
from linerate.measure.objects.plan import plan_file
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.measure.trials.trial import trial_of
from linerate.records import Trial

COUNTED_BY = "dut_verdicts"
"""What ``forwarded_from`` says of these trials."""
COUNTED_SECONDS_MIN = 0.05
"""Of the load before each trial, in which packets are counted that pass a hook above the driver."""
STEP_SECONDS = 0.005
STEPS_MAX = 40


def check_object(cell: Cell, folder: Path) -> None:
    """Refuse, before anything is measured, what cannot be loaded or sent; nothing is loaded.

    Raises
    ------
    BadInputError
        The object or what belongs to it is wrong, or there are no cores for the queues.
    CannotHereError
        A runner or program is not built.
    """
    check_cores(cell.mode, cell.queues)
    for name in ("traffic", "bpf_object"):
        built.runner(name)
    built.program_object("ends")
    read_inputs(cell, folder)


@contextmanager
def open_object_bench(cell: Cell, folder: Path) -> Iterator[Bench]:
    """Load a cell's object anew on a hook of the veth lab.

    Raises
    ------
    DeviceFailedError
        The kernel refuses it; the words are the verifier's.
    """
    inputs = read_inputs(cell, folder)
    with (
        open_object_lab(cell.mode, cell.queues, cell.datapath, inputs.settings.environment) as lab,
        plan_file(inputs.settings, inputs.frames) as plan,
        started(
            attach_object(lab, cell.datapath, inputs.path, inputs.entry, plan, counted=True)
        ) as program,
    ):
        dut = _Dut(program=program, replayed=plan if inputs.frames else None)

        def run(load: Load, timing: Timing) -> Trial:
            return _run_trial(dut, replace(cell, load=load), timing)

        yield Bench(
            program_hash=built.content_hash(inputs.path), run_trial=run,
            processes=(program.process,), probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dut:
    program: AttachedObject[VethLab]
    replayed: Path | None
    """File with the frames; None where the generator makes them."""

    def send(self, cell: Cell, timing: Timing) -> TrafficReport:
        program = self.program
        if self.replayed is None:
            return send_live_frames(program.lab, cell, timing, program.dut_threads)
        return replay_frames(program, self.replayed, stream_of(cell), timing)


def _run_trial(dut: _Dut, cell: Cell, timing: Timing) -> Trial:
    """Let the warm-up be a load of its own: counts are read while nothing is sent."""
    program = dut.program
    warm_up = max(timing.warm_up_seconds, COUNTED_SECONDS_MIN)
    begun = program.ends(passed_counted=True)
    warming = dut.send(cell, Timing(warm_up_seconds=0.0, seconds=warm_up))
    _await_ends(program, begun, warming.sent - warming.dropped["dut_ring"])
    warm = program.ends()
    report = dut.send(cell, replace(timing, warm_up_seconds=0.0))
    ends = program.ends().since(warm)
    driver_counts = cell.datapath == "xdp_native"
    if not driver_counts:
        ends = ends.told_apart(warm.since(begun), undirected_too=cell.datapath == "tc")
    return replace(
        ended(trial_of(replace(report, received=0)), ends, driver_counts=driver_counts),
        memory_bytes=program.table_bytes,
    )


def _await_ends(program: AttachedObject[VethLab], begun: Ends, packets: int) -> None:
    """Wait while packets may be on their way on a core that stands still."""
    for _ in range(STEPS_MAX):
        if program.ends(passed_counted=True).since(begun).packets >= packets:
            return
        sleep(STEP_SECONDS)


def ended(trial: Trial, ends: Ends, *, driver_counts: bool) -> Trial:
    """State of a trial what became of its packets.

    Parameters
    ----------
    trial
        What the generator counted.
    ends
        Packets by verdict.
    driver_counts
        Whether the driver runs the program, and counts what cannot be sent on among the packets
        that its ring did not take.
    """
    dropped = {**trial.dropped}
    dropped.pop("dut_program", 0)
    if driver_counts:
        dropped["dut_ring"] = max(0, dropped["dut_ring"] - ends.unsent - ends.undirected)
    dropped["dut_tx"] += ends.unsent
    dropped["dut_redirect"] = ends.undirected + ends.untaken
    behind = dropped["dut_tx"] + dropped["dut_redirect"] + dropped.get("sink_ring", 0)
    return replace(
        trial,
        forwarded_packets=min(trial.sent_packets, max(0, ends.packets - behind)),
        forwarded_from=COUNTED_BY, dropped=dropped, ends=ends.verdicts,
    )  # fmt: skip


OWN_OBJECTS = LabBench(
    check=lambda cell, where: check_object(cell, where.folder),
    open=lambda cell, where: open_object_bench(cell, where.folder),
)
"""What takes the user's own objects."""
