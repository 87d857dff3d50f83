"""The XDP hooks: in the driver, and above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.datapath import Datapath, is_file, of_cell
from linerate.measure.datapaths.filters.bench import check_filter, open_filter_bench
from linerate.measure.datapaths.filters.names import FILTERS
from linerate.measure.datapaths.filters.nic import check_nic_filter, put_nic_filter
from linerate.measure.datapaths.nic.bench import on_interface
from linerate.measure.datapaths.nic.trial import NicDut
from linerate.measure.datapaths.xdp.nic import check_xdp_program, put_xdp
from linerate.measure.datapaths.xdp.veth import check_xdp, open_xdp_bench
from linerate.measure.labs.nic import NicLab
from linerate.measure.trials.bench import Bench

PROGRAMS = ("map_lookup", "xdp_tx", "operations", *FILTERS)


def _check(cell: Cell) -> None:
    _refuse_file(cell)
    (check_filter if cell.program in FILTERS else check_xdp)(cell)


@contextmanager
def _open(cell: Cell) -> Iterator[Bench]:
    with (open_filter_bench if cell.program in FILTERS else open_xdp_bench)(cell) as bench:
        yield bench


def _check_on_interface(cell: Cell, table: NicTable) -> None:
    _refuse_file(cell)
    if cell.program in FILTERS:
        check_nic_filter(cell, table)
    else:
        check_xdp_program(cell)


@contextmanager
def _put(lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    with (put_nic_filter if cell.program in FILTERS else put_xdp)(lab, cell) as dut:
        yield dut


def _refuse_file(cell: Cell) -> None:
    if is_file(cell.program):
        raise bad_input(
            "program", cell.program, why="objects of your own are not supported yet",
            allowed=", ".join(PROGRAMS), do="use one of these",
        )  # fmt: skip


LABS = {"veth": of_cell(_check, _open), "nic": on_interface(_check_on_interface, _put)}
DATAPATHS = (
    Datapath(
        name="xdp_native", programs=(*PROGRAMS, "xdp_drop"), own=(".bpf.o",), labs=LABS,
        needs=("xdp_native",), cost="accesses", place=10,
    ),
    # Where no driver counts what is dropped, xdp_drop has no rate.
    Datapath(
        name="xdp_generic", programs=PROGRAMS, own=(".bpf.o",), labs=LABS,
        needs=("xdp_generic",), cost="accesses", place=11,
    ),
)  # fmt: skip
