"""A program on the native or generic XDP hook of the device under test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import BadInputError, CannotHereError, LinerateError, bad_input
from linerate.measure import artifacts
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.labs.veth import VethLab

HOOKS = {"xdp_native": "native", "xdp_generic": "generic"}
"""Datapaths of this module and the hook of each."""
DROPPING_PROGRAMS = frozenset({"xdp_drop"})
"""Programs that return nothing; the driver's count of drops is their rate."""

_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedProgram:
    """One load of a program, attached."""

    program_ns: float
    """Mean time of one pass over a 64-byte frame by a kernel test run, the loop around it
    included."""
    program_hash: str
    table_bytes: int
    """What the kernel accounts for the program's maps."""
    dut_threads: tuple[int, ...]
    """Process ids of the device's NAPI threads; empty in serial mode."""


@contextmanager
def attach_xdp(lab: VethLab, cell: Cell) -> Iterator[AttachedProgram]:
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
    with subprocess.Popen(
        lab.dut.argv(_argv(lab, cell)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as holder:
        try:
            said = holder.stdout.readline() if holder.stdout else ""
            if not said:
                raise _failure(holder)
            report = json.loads(said)
            yield AttachedProgram(
                program_ns=float(report["program_ns"]),
                table_bytes=int(report["table_bytes"]),
                program_hash=artifacts.content_hash(artifacts.program_object(cell.program)),
                dut_threads=lab.start_dut_threads(),
            )
        finally:
            _stop(holder)


def _check_operations(cell: Cell) -> None:
    for kind, times in cell.operations:
        if not 1 <= times <= OPERATIONS_MAX.get(kind, 0):
            known = ", ".join(f"{name} 1..{most}" for name, most in OPERATIONS_MAX.items())
            raise bad_input(
                "operations", f"{kind} {times}", why="no packet can ask for it", allowed=known,
                do="correct it",
            )  # fmt: skip


def _argv(lab: VethLab, cell: Cell) -> list[str | Path]:
    argv: list[str | Path] = [
        artifacts.runner("xdp_dut"), "--object", artifacts.program_object(cell.program),
        "--dev", lab.dut_device, "--hook", HOOKS[cell.datapath],
        "--memory-accesses", str(cell.memory_accesses),
        "--working-set-bytes", str(cell.working_set_bytes), "--queues", str(cell.queues),
    ]  # fmt: skip
    for kind, times in cell.operations:
        argv += ["--operation", f"{kind}={times}"]
    return argv


def _failure(holder: subprocess.Popen[str]) -> LinerateError:
    words = holder.stderr.read().partition("Usage:")[0].strip() if holder.stderr else ""
    exit_code = holder.wait(_STOP_SECONDS)
    if exit_code == BadInputError.exit_code:
        return BadInputError(f"xdp: {words}")
    if exit_code == CannotHereError.exit_code:
        return CannotHereError(f"xdp: {words}; linerate doctor says what this machine can run")
    return LinerateError(f"xdp: {words}")


def _stop(holder: subprocess.Popen[str]) -> None:
    if holder.stdin:
        holder.stdin.close()
    try:
        holder.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        holder.kill()
