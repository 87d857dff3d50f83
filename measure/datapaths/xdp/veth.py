"""The bench of the XDP hooks: a program that sends back, or drops, at the driver or above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.xdp.attach import DROPPING_PROGRAMS, attach_xdp
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.veth import check_cores, open_veth_lab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.trial import trial_of
from linerate.records import Trial


@contextmanager
def open_xdp_bench(cell: Cell) -> Iterator[Bench]:
    """Put a cell's program anew on an XDP hook of the veth lab."""
    with (
        open_veth_lab(cell.mode, cell.queues, gro=cell.datapath == "xdp_generic") as lab,
        attach_xdp(lab, cell) as program,
    ):

        def run(load: Load, timing: Timing) -> Trial:
            report = send_live_frames(lab, replace(cell, load=load), timing, program.dut_threads)
            trial = trial_of(report)
            return replace(
                _all_dropped(trial) if cell.program in DROPPING_PROGRAMS else trial,
                program_ns=program.program_ns,
                memory_bytes=program.table_bytes,
            )

        yield Bench(
            program_hash=program.program_hash, run_trial=run, processes=(program.process,),
            probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


def _all_dropped(trial: Trial) -> Trial:
    """Count as forwarded what the program dropped: that is its service, not a loss."""
    dropped = dict(trial.dropped)
    forwarded = min(dropped.pop("dut_program"), trial.sent_packets)
    return replace(
        trial, forwarded_packets=forwarded, forwarded_from="dut_xdp_drops", dropped=dropped
    )


def check_xdp(cell: Cell) -> None:
    """Refuse, before anything is measured, a program that is not built or cores that are not there.

    Raises
    ------
    BadInputError
        More queues than there are cores for.
    CannotHereError
        A runner or program is not built.
    """
    check_cores(cell.mode, cell.queues)
    for name in ("traffic", "xdp_dut"):
        built.runner(name)
    built.program_object(cell.program)
