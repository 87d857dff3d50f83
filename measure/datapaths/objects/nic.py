"""The user's own objects on the interface that the user named.

The far generator sends its own frames; the program's verdicts are counted here, as in the veth lab.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.datapaths.datapath import LabBench, Where
from linerate.measure.datapaths.nic.bench import check_on_interface, open_on_interface
from linerate.measure.datapaths.nic.trial import NicDut, send_far
from linerate.measure.datapaths.objects.bench import COUNTED_SECONDS_MIN, ended
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.datapaths.objects.settings import settings_of
from linerate.measure.labs.nic import NicLab
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.lab import AttachedObject, attach_object
from linerate.measure.objects.plan import plan_file
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.records import Trial


def _check(cell: Cell, where: Where) -> None:
    """Refuse what would change the user's own host, or what the far generator does not send."""
    assert where.nic
    check_on_interface(cell, where.nic)
    built.runner("bpf_object")
    built.program_object("ends")
    if traffic := settings_of(cell).traffic:
        raise bad_input(
            "traffic", traffic, why="the generator host sends frames of its own",
            allowed="frame_bytes, flows and packet; frames of a file in the veth lab",
            do="leave it out",
        )  # fmt: skip
    if read_inputs(cell, where.folder).settings.environment is not None:
        raise bad_input(
            "maps", settings_of(cell).maps, why="its environment or roles are those of the veth "
            "lab's namespace, and this host's routes are its own", allowed="maps without them",
            do="name interfaces by their index, or measure it in the veth lab",
        )  # fmt: skip


def _open(cell: Cell, where: Where) -> AbstractContextManager[Bench]:
    assert where.site
    return open_on_interface(cell, where.site, partial(_put, where.folder))


@contextmanager
def _put(folder: Path, lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    inputs = read_inputs(cell, folder)
    with (
        plan_file(inputs.settings) as plan,
        started(
            attach_object(lab, cell.datapath, inputs.path, inputs.entry, plan, counted=True)
        ) as program,
    ):
        yield NicDut(
            program_hash=built.content_hash(inputs.path), run_trial=partial(_run_trial, program),
            processes=(program.process,),
        )  # fmt: skip


def _run_trial(program: AttachedObject[NicLab], cell: Cell, timing: Timing) -> Trial:
    """Count while the generator is silent: before its warm-up, behind it, and at the end."""
    warm_up = max(timing.warm_up_seconds, COUNTED_SECONDS_MIN)
    looks = [program.ends(passed_counted=True)]
    far = send_far(program.lab, cell, replace(timing, warm_up_seconds=warm_up),
                   program.dut_threads, _looking(program, looks))  # fmt: skip
    begun, warm, last = looks
    ends = last.since(warm)
    if cell.datapath != "xdp_native":
        ends = ends.told_apart(warm.since(begun), undirected_too=cell.datapath == "tc")
    return replace(ended(far.trial(), ends, driver_counts=False), memory_bytes=program.table_bytes)


@contextmanager
def _looking(program: AttachedObject[NicLab], looks: list[Ends]) -> Iterator[None]:
    looks.append(program.ends())
    yield
    looks.append(program.ends())


OWN_ON_INTERFACE = LabBench(check=_check, open=_open)
"""What takes the user's own objects in the nic lab."""
