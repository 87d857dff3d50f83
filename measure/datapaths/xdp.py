"""A program on the native or generic XDP hook of the device under test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import CannotHereError, LinerateError
from linerate.measure import artifacts
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
    dut_threads: tuple[int, ...]
    """Process ids of the device's NAPI threads; empty in serial mode."""


@contextmanager
def attach_xdp(lab: VethLab, cell: Cell) -> Iterator[AttachedProgram]:
    """Load a cell's program anew, attach it to the device, detach it at the end.

    The link is held by a runner that ends when its standard input closes, so the program goes
    with this process however that ends. A program that is there already is never replaced.

    Raises
    ------
    CannotHereError
        The kernel does not support it, or rights are missing.
    LinerateError
        Load or attach failed.
    """
    built = artifacts.program_object(cell.program)
    argv: list[str | Path] = [
        artifacts.runner("xdp_dut"), "--object", built, "--dev", lab.dut_device,
        "--hook", HOOKS[cell.datapath], "--memory-accesses", str(cell.memory_accesses),
    ]  # fmt: skip
    with subprocess.Popen(
        lab.dut.argv(argv),
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
            yield AttachedProgram(
                program_ns=float(json.loads(said)["program_ns"]),
                program_hash=artifacts.content_hash(built),
                dut_threads=lab.start_dut_threads(),
            )
        finally:
            _stop(holder)


def _failure(holder: subprocess.Popen[str]) -> LinerateError:
    words = holder.stderr.read().strip() if holder.stderr else ""
    if holder.wait(_STOP_SECONDS) == CannotHereError.exit_code:
        return CannotHereError(f"xdp: {words}; linerate doctor says what this machine can run")
    return LinerateError(f"xdp: {words}")


def _stop(holder: subprocess.Popen[str]) -> None:
    if holder.stdin:
        holder.stdin.close()
    try:
        holder.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        holder.kill()
