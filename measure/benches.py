"""The bench of each datapath."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import CannotHereError, cannot_here
from linerate.measure import artifacts
from linerate.measure.bench import Bench, Timing
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.xdp import attach_xdp
from linerate.measure.labs.veth import check_cores, open_veth_lab
from linerate.measure.trial import run_trial
from linerate.records import Trial


@contextmanager
def open_xdp_bench(cell: Cell) -> Iterator[Bench]:
    """Put a program that sends back, or drops, on an XDP hook of the veth lab."""
    with (
        open_veth_lab(cell.mode, cell.queues, gro=cell.datapath == "xdp_generic") as lab,
        attach_xdp(lab, cell) as program,
    ):

        def run(load: Load, timing: Timing) -> Trial:
            return run_trial(lab, replace(cell, load=load), program, timing)

        yield Bench(
            program_hash=program.program_hash,
            run_trial=run,
            probe_point=ProbePoint.of_lab(lab),
        )


_BENCHES: dict[str, Callable[[Cell], AbstractContextManager[Bench]]] = {
    "xdp_native": open_xdp_bench,
    "xdp_generic": open_xdp_bench,
}


def open_bench(cell: Cell) -> AbstractContextManager[Bench]:
    """Load a cell's program anew on its datapath; all of it is gone when the context ends."""
    if cell.datapath not in _BENCHES:
        raise _no_bench(cell)
    return _BENCHES[cell.datapath](cell)


def check_bench(cell: Cell) -> None:
    """Refuse, before anything is measured, a cell that cannot run on this machine.

    Raises
    ------
    BadInputError
        More queues than there are cores for.
    CannotHereError
        A runner or program is not built.
    """
    check_cores(cell.mode, cell.queues)
    if cell.datapath not in _BENCHES:
        raise _no_bench(cell)
    for name in ("traffic", "xdp_dut"):
        artifacts.runner(name)
    artifacts.program_object(cell.program)


def _no_bench(cell: Cell) -> CannotHereError:
    return cannot_here(
        cell.datapath,
        why="the veth lab has no bench for it",
        do=f"use one of {', '.join(_BENCHES)}",
    )
