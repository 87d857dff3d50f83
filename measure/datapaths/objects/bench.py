"""The bench of the user's own objects on the XDP hooks of the veth lab.

A packet that the program has given its verdict on is forwarded, whatever the verdict: that is its
service. Lost is what never came to it, or could not be sent on as it said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames, stream_of
from linerate.measure.labs.veth import VethLab, check_cores, open_veth_lab
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.lab import AttachedObject, attach_object, replay_frames
from linerate.measure.objects.plan import plan_file
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.measure.trials.trial import trial_of
from linerate.records import Trial

COUNTED_BY = "dut_verdicts"
"""What ``forwarded_from`` says of these trials."""
COUNTED_SECONDS_MIN = 0.05
"""Of the load before each trial, in which packets are counted that pass the generic hook."""


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
    """Load a cell's object anew on an XDP hook of the veth lab.

    Raises
    ------
    DeviceFailedError
        The kernel refuses it; the words are the verifier's.
    """
    inputs = read_inputs(cell, folder)
    with (
        open_veth_lab(cell.mode, cell.queues, gro=cell.datapath == "xdp_generic") as lab,
        plan_file(inputs.settings, inputs.frames) as plan,
        started(
            attach_object(lab, cell.datapath, inputs.path, inputs.entry, plan, counted=True)
        ) as program,
    ):
        dut = _Dut(lab=lab, program=program, replayed=plan if inputs.frames else None)

        def run(load: Load, timing: Timing) -> Trial:
            return _run_trial(dut, replace(cell, load=load), timing)

        yield Bench(
            program_hash=built.content_hash(inputs.path), run_trial=run,
            processes=(program.process,), probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dut:
    lab: VethLab
    program: AttachedObject
    replayed: Path | None
    """File with the frames; None where the generator makes them."""

    def send(self, cell: Cell, timing: Timing) -> TrafficReport:
        threads = self.program.dut_threads
        if self.replayed is None:
            return send_live_frames(self.lab, cell, timing, threads)
        return replay_frames(
            self.lab, cell.datapath, self.replayed, stream_of(cell), timing, threads
        )


def _run_trial(dut: _Dut, cell: Cell, timing: Timing) -> Trial:
    """Let the warm-up be a load of its own: counts are read while nothing is sent."""
    warm_up = max(timing.warm_up_seconds, COUNTED_SECONDS_MIN)
    begun = dut.program.ends(passed_counted=True)
    dut.send(cell, Timing(warm_up_seconds=0.0, seconds=warm_up))
    warm = dut.program.ends()
    report = dut.send(cell, replace(timing, warm_up_seconds=0.0))
    ends = dut.program.ends().since(warm)
    driver_counts = cell.datapath == "xdp_native"
    if not driver_counts:
        ends = ends.told_apart(warm.since(begun))
    return replace(
        ended(trial_of(replace(report, received=0)), ends, driver_counts=driver_counts),
        memory_bytes=dut.program.table_bytes,
    )


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
    dropped["dut_redirect"] = ends.undirected
    behind = dropped["dut_tx"] + dropped["dut_redirect"] + dropped["sink_ring"]
    return replace(
        trial,
        forwarded_packets=min(trial.sent_packets, max(0, ends.packets - behind)),
        forwarded_from=COUNTED_BY, dropped=dropped, ends=ends.verdicts,
    )  # fmt: skip
