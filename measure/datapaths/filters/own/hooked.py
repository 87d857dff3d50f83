"""The bench of the user's own BPF programs at a hook of netfilter, in the veth lab.

Every packet that reached the program is forwarded, whatever it says: that is its service. What it
accepts is dropped behind it, so that nothing else of the host is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.datapath import LabBench
from linerate.measure.datapaths.filters.lab import open_filter_lab
from linerate.measure.datapaths.filters.own.passed import count_passed
from linerate.measure.datapaths.filters.own.trial import Dut
from linerate.measure.datapaths.objects.inputs import Inputs, read_inputs
from linerate.measure.datapaths.objects.settings import settings_of
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.veth import check_cores
from linerate.measure.objects.lab import attach_object
from linerate.measure.objects.plan import plan_file
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.records import Trial


def check_hooked(cell: Cell, folder: Path) -> None:
    """Refuse, before anything is measured, what cannot be loaded or sent; nothing is loaded.

    Raises
    ------
    BadInputError
        The object or what belongs to it is wrong, or there are no cores for the queues.
    CannotHereError
        A runner is not built.
    """
    check_cores(cell.mode, cell.queues)
    for name in ("traffic", "bpf_object"):
        built.runner(name)
    _inputs(cell, folder)


@contextmanager
def open_hooked_bench(cell: Cell, folder: Path) -> Iterator[Bench]:
    """Load a cell's object anew on a hook of netfilter, in the device's namespace.

    Raises
    ------
    DeviceFailedError
        The kernel refuses it; the words are the verifier's.
    """
    inputs, hook = _inputs(cell, folder), _hook_of(cell)
    with (
        open_filter_lab(cell) as lab,
        plan_file(inputs.settings) as plan,
        started(attach_object(lab, hook, inputs.path, inputs.entry, plan)) as program,
        started(count_passed(lab, hook)) as passed,
    ):
        threads = program.dut_threads
        dut = Dut(send=lambda cell, timing: send_live_frames(lab, cell, timing, threads),
                  count=passed.count)  # fmt: skip

        def run(load: Load, timing: Timing) -> Trial:
            trial = dut.run_trial(replace(cell, load=load), timing)
            return replace(trial, memory_bytes=program.table_bytes)

        yield Bench(
            program_hash=built.content_hash(inputs.path), run_trial=run,
            processes=(program.process, passed.tool), probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


def _hook_of(cell: Cell) -> Literal["prerouting", "input"]:
    return settings_of(cell).hook or "prerouting"


def _inputs(cell: Cell, folder: Path) -> Inputs:
    asked = settings_of(cell)
    if asked.traffic:
        raise bad_input(
            "traffic", asked.traffic, why="packets come to netfilter only where they are sent to "
            "the host, and the lab's addresses are its own", allowed="frame_bytes and flows",
            do="leave it out",
        )  # fmt: skip
    inputs = read_inputs(cell, folder)
    if inputs.settings.environment is not None:
        raise bad_input(
            "maps", asked.maps, why="at netfilter the lab's routes and neighbours are its own",
            allowed="maps without environment or roles", do="name interfaces by their index",
        )  # fmt: skip
    return inputs


OWN_HOOKED = LabBench(
    check=lambda cell, where: check_hooked(cell, where.folder),
    open=lambda cell, where: open_hooked_bench(cell, where.folder),
)
"""What takes the user's own programs at netfilter."""
