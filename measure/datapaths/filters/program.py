"""Filters that are BPF programs: on XDP, as tc's direct action, on a netfilter hook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from linerate.cells import Cell
from linerate.measure.datapaths.filters.filter import DropCount, Filter
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process

RUNNER = "filter_dut"
OBJECTS = {
    "xdp_native": "filter_xdp",
    "xdp_generic": "filter_xdp",
    "tc": "filter_tc",
    "netfilter": "filter_netfilter",
}
"""Object of each datapath; the program is one of its settings."""


def sources(datapath: str) -> tuple[str, ...]:
    """Name what filters of a datapath are built from."""
    return (f"bpf/filters/{OBJECTS[datapath]}.bpf.c", "measure/datapaths/filters/native")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attached:
    """What the runner says first."""

    attached: str
    program_id: int
    program_ns: float
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dropped:
    """What it answers to each line."""

    at_ns: int
    dropped: int


_ATTACHED = TypeAdapter(_Attached)
_DROPPED = TypeAdapter(_Dropped)


@contextmanager
def attach_filter_program(lab: DeviceLab, cell: Cell) -> Iterator[Filter]:
    """Load a filter anew, attach it to the device, detach it at the end.

    Link and qdisc are held by a runner that ends when its standard input closes, so they go with
    this process however that ends; a qdisc that a killed runner left is taken off here. What is on
    the hook already is never replaced.

    Raises
    ------
    CannotHereError
        The kernel does not support it, or rights are missing.
    LinerateError
        Load or attach failed.
    """
    program = built.program_object(OBJECTS[cell.datapath])
    hook = settings_of(cell).hook if cell.datapath == "netfilter" else cell.datapath
    argv: list[str | Path] = [
        built.runner(RUNNER), "--object", program, "--dev", lab.dut_device,
        "--hook", hook, "--program", cell.program, *(["--only-dev"] if lab.is_shared else []),
    ]  # fmt: skip
    with hold_process("filter", lab.dut.argv(argv), under_test=True) as runner:
        report = runner.parse(_ATTACHED, runner.first)
        try:
            yield Filter(
                program_hash=built.content_hash(program),
                count=lambda: _count(runner),
                memory_bytes=report.memory_bytes,
                program_ns=report.program_ns,
                processes=(runner,),
            )
        finally:
            if runner.was_killed and cell.datapath == "tc":
                lab.dut.run(["tc", "qdisc", "del", "dev", lab.dut_device, "clsact"])


def _count(runner: HeldProcess) -> DropCount:
    counted = runner.parse(_DROPPED, runner.ask(""))
    return DropCount(at_ns=counted.at_ns, packets=counted.dropped)
