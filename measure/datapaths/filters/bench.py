"""The bench of the filters: any of the five, on any subsystem of the kernel that can filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.filters import iptables, nftables
from linerate.measure.datapaths.filters.filter import Filter
from linerate.measure.datapaths.filters.lab import open_filter_lab
from linerate.measure.datapaths.filters.module import (
    check_netfilter_module,
    load_netfilter_module,
)
from linerate.measure.datapaths.filters.program import OBJECTS, RUNNER, attach_filter_program
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.datapaths.filters.trial import FilterDut, run_filter_trial
from linerate.measure.generators.external import tools
from linerate.measure.labs.device import DeviceLab
from linerate.measure.labs.veth import check_cores
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.records import Trial

_WHY = "it makes the rules of the filter"


@contextmanager
def open_filter_bench(cell: Cell) -> Iterator[Bench]:
    """Put one of the five filters anew where its cell says.

    What it drops is what it forwards: the rate of a trial is the filter's own count.
    """
    with open_filter_lab(cell) as lab, put_filter(lab, cell) as under_test:
        dut = FilterDut(lab=lab, under_test=under_test, threads=lab.start_dut_threads())

        def run(load: Load, timing: Timing) -> Trial:
            return run_filter_trial(dut, replace(cell, load=load), timing)

        yield Bench(
            program_hash=under_test.program_hash,
            run_trial=run,
            processes=under_test.processes,
            probe_point=ProbePoint.of_lab(lab),
        )


def put_filter(lab: DeviceLab, cell: Cell) -> AbstractContextManager[Filter]:
    """Put a cell's filter in force on the device of a lab; it is gone when the context ends."""
    return started(_way(cell)(lab, cell))


def check_filter(cell: Cell) -> None:
    """Refuse, before anything is measured, a filter that this machine has no means for.

    Raises
    ------
    BadInputError
        More queues than there are cores for.
    CannotHereError
        A runner or object is not built, or a tool is missing.
    """
    check_cores(cell.mode, cell.queues)
    built.runner("traffic")
    check_filter_means(cell)


def check_filter_means(cell: Cell) -> None:
    """Refuse a filter that this machine has no means for, whatever the lab.

    Raises
    ------
    CannotHereError
        A runner or object is not built, or a tool is missing.
    """
    way = _way(cell)
    if way is attach_filter_program:
        built.runner(RUNNER)
        built.program_object(OBJECTS[cell.datapath])
    elif way is load_netfilter_module:
        check_netfilter_module()
    elif way is nftables.add_nftables_filter:
        tools.tool(nftables.TOOL, why=_WHY, package="nftables")
    else:
        tools.tool(iptables.TOOLS[settings_of(cell).flavour], why=_WHY, package="iptables")


def _way(cell: Cell) -> Callable[[DeviceLab, Cell], AbstractContextManager[Filter]]:
    if cell.datapath == "nftables":
        return nftables.add_nftables_filter
    if cell.datapath == "iptables":
        return iptables.append_iptables_filter
    if settings_of(cell).flavour == "module":
        return load_netfilter_module
    return attach_filter_program
