"""XDP programs on the interface that the user named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linerate.cells import Cell
from linerate.measure.datapaths.nic.trial import FarTrial, NicDut, send_far
from linerate.measure.datapaths.xdp.attach import DROPPING_PROGRAMS, attach_xdp
from linerate.measure.labs.nic import NicLab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.records import Trial


@contextmanager
def put_xdp(lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    """Put a cell's program anew on a hook of the device."""
    with attach_xdp(lab, cell) as program:

        def run(cell: Cell, timing: Timing) -> Trial:
            far = send_far(lab, cell, timing, program.dut_threads)
            trial = _all_dropped(far) if cell.program in DROPPING_PROGRAMS else far.trial()
            return replace(trial, program_ns=program.program_ns, memory_bytes=program.table_bytes)

        yield NicDut(program_hash=program.program_hash, run_trial=run, processes=(program.process,))


def _all_dropped(far: FarTrial) -> Trial:
    """Nothing comes back of a program that drops all: what the device took in is its rate."""
    return replace(
        far.trial(),
        forwarded_packets=min(far.seen.counts.rx_packets, far.sent),
        forwarded_from="dut_rx_packets",
    )


def check_xdp_program(cell: Cell) -> None:
    """Refuse a program that is not built.

    Raises
    ------
    CannotHereError
        Which one, or its runner.
    """
    built.runner("xdp_dut")
    built.program_object(cell.program)
