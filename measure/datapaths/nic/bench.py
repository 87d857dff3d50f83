"""Benches of the nic lab: a datapath on the interface that the user named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.datapath import LabBench, Where, refuse_own
from linerate.measure.datapaths.nic.trial import NicDut
from linerate.measure.labs.card import is_card
from linerate.measure.labs.nic import NicLab, NicSite, check_nic_cores, open_nic_lab
from linerate.measure.trials.bench import Bench, Timing
from linerate.records import Trial

Put = Callable[[NicLab, Cell], AbstractContextManager[NicDut]]
"""Puts a cell's program anew on the device of the lab."""
Knobs = Callable[[Cell], Mapping[str, str]]
"""Names what a cell needs of the interface beside queues and cores."""


def on_interface(
    check: Callable[[Cell, NicTable], None], put: Put, knobs: Knobs = lambda cell: {}
) -> LabBench:
    """Make the bench of a datapath that runs on an interface of the kernel's.

    Parameters
    ----------
    check
        Refuses what the datapath does not have there.
    put, knobs
        How it gets onto the interface.
    """

    def check_all(cell: Cell, where: Where) -> None:
        assert where.nic
        refuse_own(cell, where)
        check_on_interface(cell, where.nic)
        check(cell, where.nic)

    def open_it(cell: Cell, where: Where) -> AbstractContextManager[Bench]:
        assert where.site
        return open_on_interface(cell, where.site, put, knobs(cell))

    return LabBench(check=check_all, open=open_it)


@contextmanager
def open_on_interface(
    cell: Cell, site: NicSite, put: Put, knobs: Mapping[str, str] | None = None
) -> Iterator[Bench]:
    """Put a cell's program anew on the interface."""
    with open_nic_lab(site, cell.queues, knobs or {}) as lab, put(lab, cell) as dut:
        site.open_generator()

        def run(load: Load, timing: Timing) -> Trial:
            return dut.run_trial(replace(cell, load=load), timing)

        yield Bench(program_hash=dut.program_hash, run_trial=run, processes=dut.processes)


def check_on_interface(cell: Cell, table: NicTable, *, card: bool = False) -> None:
    """Refuse, before anything is measured, what the nic lab does not have, whatever the datapath.

    Parameters
    ----------
    cell, table
        What, and where.
    card
        Whether the datapath drives a card itself.

    Raises
    ------
    BadInputError
        Another generator, more queues than cores, or a card where an interface is needed.
    """
    if cell.load.generator != "live_frames" or cell.load.pings_per_second:
        raise bad_input(
            "generator", cell.load.generator, why="in the nic lab the [nic] table names what "
            "sends, and nothing else does", allowed="no generator and no pings_per_second",
            do="leave them out",
        )  # fmt: skip
    check_nic_cores(table, cell.queues)
    table.kind.check(cell.load, tuple(table.generator_cores))
    if is_card(table.interface) and not card:
        raise bad_input(
            "interface", table.interface, why=f"{cell.datapath} needs an interface of the kernel's",
            allowed="a name as `ip link` prints it; a PCI address for port pci of swx alone",
            do="correct it",
        )  # fmt: skip
