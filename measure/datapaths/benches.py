"""The bench of a cell: how it is opened, and what is refused before anything is measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.datapath import LabBench, Where
from linerate.measure.datapaths.own import own_program
from linerate.measure.datapaths.registry import datapath_named, datapaths
from linerate.measure.generators.external.hping3 import Hping3
from linerate.measure.generators.live_frames import check_packets
from linerate.measure.labs.nic import NicSite
from linerate.measure.trials.bench import Bench
from linerate.measure.trials.trial import watched


@contextmanager
def open_bench(cell: Cell, folder: Path = Path(), site: NicSite | None = None) -> Iterator[Bench]:
    """Load a cell's program anew on its datapath; all of it is gone when the context ends.

    Parameters
    ----------
    cell
        What to measure.
    folder
        Where paths of the user's own programs begin.
    site
        The two hosts that a cell of the nic lab is measured between.
    """
    where = Where(
        folder=folder, program=own_program(cell, folder), site=site,
        nic=site.table if site else None,
    )  # fmt: skip
    with _bench_of(cell).open(cell, where) as bench:
        yield replace(bench, run_trial=watched(bench.run_trial, bench.processes))


def check_bench(cell: Cell, folder: Path = Path(), nic: NicTable | None = None) -> None:
    """Refuse, before anything is measured, a cell that cannot run on this machine.

    Raises
    ------
    BadInputError
        More queues than there are cores for, or settings that exclude each other.
    DeviceFailedError
        The program cannot be built.
    CannotHereError
        A runner, program or tool is missing.
    """
    bench = _bench_of(cell)
    if cell.lab != "nic" and cell.load.generator == "hping3":
        Hping3().check(cell.load)
    elif cell.lab == "veth" and cell.load.generator == "live_frames":
        check_packets(cell.load)
    bench.check(cell, Where(folder=folder, program=own_program(cell, folder), nic=nic))


def _bench_of(cell: Cell) -> LabBench:
    datapath = datapath_named(cell.datapath)
    if cell.lab not in datapath.labs:
        there = [name for name, each in datapaths().items() if cell.lab in each.labs]
        raise bad_input(
            "datapath", cell.datapath, why=f"the {cell.lab} lab has no bench for it",
            allowed=", ".join(there),
            do=f"leave it out, or measure it in lab {' or '.join(datapath.labs)}",
        )  # fmt: skip
    return datapath.labs[cell.lab]
