"""A program on the native or generic XDP hook of the device under test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process

HOOKS = {"xdp_native": "native", "xdp_generic": "generic"}
"""Datapaths of this module and the hook of each."""
DROPPING_PROGRAMS = frozenset({"xdp_drop"})
"""Programs that return nothing; the driver's count of drops is their rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """What the runner says when the program is attached."""

    attached: str
    program_ns: float
    table_bytes: int


_REPORT = TypeAdapter(_Report)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedProgram:
    """One load of a program, attached."""

    process: HeldProcess
    """What holds it there."""
    program_ns: float
    """Mean time of one pass over a 64-byte frame by a kernel test run, the loop around it
    included."""
    program_hash: str
    table_bytes: int
    """What the kernel accounts for the program's maps."""
    dut_threads: tuple[int, ...]
    """Process ids of the device's NAPI threads; empty in serial mode."""


@contextmanager
def attach_xdp(lab: DeviceLab, cell: Cell) -> Iterator[AttachedProgram]:
    """Load a cell's program anew, attach it to the device, detach it at the end.

    The link is held by a runner that ends when its standard input closes, so the program goes
    with this process however that ends. A program that is there already is never replaced.

    Raises
    ------
    BadInputError
        The program does not execute what the cell asks for.
    CannotHereError
        The kernel does not support it, or rights or memory are missing.
    LinerateError
        Load or attach failed.
    """
    _check_operations(cell)
    with hold_process("xdp", lab.dut.argv(_argv(lab, cell)), under_test=True) as runner:
        report = runner.parse(_REPORT, runner.first)
        yield AttachedProgram(
            process=runner,
            program_ns=report.program_ns,
            table_bytes=report.table_bytes,
            program_hash=built.content_hash(built.program_object(cell.program)),
            dut_threads=lab.start_dut_threads(),
        )


def _check_operations(cell: Cell) -> None:
    for kind, times in cell.operations:
        if not 1 <= times <= OPERATIONS_MAX.get(kind, 0):
            known = ", ".join(f"{name} 1..{most}" for name, most in OPERATIONS_MAX.items())
            raise bad_input(
                "operations", f"{kind} {times}", why="no packet can ask for it", allowed=known,
                do="correct it",
            )  # fmt: skip


def _argv(lab: DeviceLab, cell: Cell) -> list[str | Path]:
    argv: list[str | Path] = [
        built.runner("xdp_dut"), "--object", built.program_object(cell.program),
        "--dev", lab.dut_device, "--hook", HOOKS[cell.datapath],
        "--memory-accesses", str(cell.memory_accesses),
        "--working-set-bytes", str(cell.working_set_bytes), "--queues", str(cell.queues),
    ]  # fmt: skip
    for kind, times in cell.operations:
        argv += ["--operation", f"{kind}={times}"]
    return argv
