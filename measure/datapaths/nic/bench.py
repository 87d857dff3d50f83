"""The benches of the nic lab: each datapath on the interface that the user named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.af_xdp import forwarder
from linerate.measure.datapaths.af_xdp.nic import put_sockets
from linerate.measure.datapaths.catalogue import FILTERS
from linerate.measure.datapaths.filters.nic import check_nic_filter, put_nic_filter
from linerate.measure.datapaths.nic.trial import NicDut
from linerate.measure.datapaths.swx.bench import ProgramOf
from linerate.measure.datapaths.swx.bench import settings_of as pipeline_of
from linerate.measure.datapaths.swx.nic import check_nic_pipeline, open_card_bench, put_pipeline
from linerate.measure.datapaths.xdp.nic import check_xdp_program, put_xdp
from linerate.measure.labs.card import is_card
from linerate.measure.labs.nic import NicLab, NicSite, check_nic_cores, open_nic_lab
from linerate.measure.trials.bench import Bench, Timing
from linerate.records import Trial

NIC_DATAPATHS = (
    "xdp_native", "xdp_generic", "af_xdp", "tc", "netfilter", "nftables", "iptables", "swx",
)  # fmt: skip
"""Datapaths that the nic lab has a bench for."""


@contextmanager
def open_nic_bench(cell: Cell, site: NicSite, program_of: ProgramOf) -> Iterator[Bench]:
    """Put a cell's program anew on the device.

    Parameters
    ----------
    cell
        What to measure.
    site
        The two hosts.
    program_of
        Makes the pipeline of a cell of ``swx``.
    """
    if is_card(site.table.interface):
        with open_card_bench(cell, site, program_of(cell)) as bench:
            yield bench
        return
    with (
        open_nic_lab(site, cell.queues, _settings(cell)) as lab,
        _way(cell, program_of)(lab, cell) as dut,
    ):
        site.open_generator()

        def run(load: Load, timing: Timing) -> Trial:
            return dut.run_trial(replace(cell, load=load), timing)

        yield Bench(program_hash=dut.program_hash, run_trial=run, processes=dut.processes)


def _way(
    cell: Cell, program_of: ProgramOf
) -> Callable[[NicLab, Cell], AbstractContextManager[NicDut]]:
    if cell.program in FILTERS:
        return put_nic_filter
    if cell.datapath == "af_xdp":
        return put_sockets
    if cell.datapath == "swx":
        return lambda lab, cell: put_pipeline(lab, cell, program_of(cell))
    return put_xdp


def _settings(cell: Cell) -> Mapping[str, str]:
    """Name what a cell needs of the interface beside queues and cores."""
    polls = cell.datapath == "af_xdp" and forwarder.settings_of(cell).busy_poll
    return forwarder.BUSY_POLL_KNOBS if polls else {}


def check_nic_cell(cell: Cell, table: NicTable, program_of: ProgramOf) -> None:
    """Refuse, before anything is measured, what the nic lab does not have.

    Raises
    ------
    BadInputError
        A datapath without a bench there, echo requests, or more queues than cores.
    CannotHereError
        A runner or program is not built.
    """
    if cell.datapath not in NIC_DATAPATHS:
        raise bad_input(
            "datapath", cell.datapath, why="the nic lab has no bench for it",
            allowed=", ".join(NIC_DATAPATHS), do="leave it out, or use the veth lab",
        )  # fmt: skip
    if cell.load.generator != "live_frames" or cell.load.pings_per_second:
        raise bad_input(
            "generator", cell.load.generator, why="in the nic lab the [nic] table names what "
            "sends, and nothing else does", allowed="no generator and no pings_per_second",
            do="leave them out",
        )  # fmt: skip
    check_nic_cores(table, cell.queues)
    table.kind.check(cell.load, tuple(table.generator_cores))
    _check_interface(cell, table)
    if cell.program in FILTERS:
        check_nic_filter(cell, table)
    elif cell.datapath == "af_xdp":
        forwarder.check_sockets(cell)
    elif cell.datapath == "swx":
        check_nic_pipeline(cell, table, program_of)
    else:
        check_xdp_program(cell)


def _check_interface(cell: Cell, table: NicTable) -> None:
    on_card = cell.datapath == "swx" and pipeline_of(cell).port == "pci"
    if is_card(table.interface) and not on_card:
        raise bad_input(
            "interface", table.interface, why=f"{cell.datapath} needs an interface of the kernel's",
            allowed="a name as `ip link` prints it; a PCI address for port pci of swx alone",
            do="correct it",
        )  # fmt: skip
