"""The XDP hooks: in the driver, and above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from linerate.cells import Cell
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.datapaths.datapath import Datapath, of_cell, or_own
from linerate.measure.datapaths.filters.bench import check_filter, open_filter_bench
from linerate.measure.datapaths.filters.names import FILTERS
from linerate.measure.datapaths.filters.nic import check_nic_filter, put_nic_filter
from linerate.measure.datapaths.filters.program import sources as filter_sources
from linerate.measure.datapaths.nic.bench import on_interface
from linerate.measure.datapaths.nic.trial import NicDut
from linerate.measure.datapaths.objects.bench import OWN_OBJECTS
from linerate.measure.datapaths.objects.inputs import described
from linerate.measure.datapaths.objects.nic import OWN_ON_INTERFACE
from linerate.measure.datapaths.objects.rules import RULES
from linerate.measure.datapaths.objects.settings import OWN_SUFFIXES, ObjectSettings
from linerate.measure.datapaths.xdp.nic import check_xdp_program, put_xdp
from linerate.measure.datapaths.xdp.veth import check_xdp, open_xdp_bench
from linerate.measure.labs.nic import NicLab
from linerate.measure.trials.bench import Bench

PROGRAMS = ("map_lookup", "xdp_tx", "operations", *FILTERS)


def _check(cell: Cell) -> None:
    (check_filter if cell.program in FILTERS else check_xdp)(cell)


def _open(cell: Cell) -> AbstractContextManager[Bench]:
    return (open_filter_bench if cell.program in FILTERS else open_xdp_bench)(cell)


def _check_on_interface(cell: Cell, table: NicTable) -> None:
    if cell.program in FILTERS:
        check_nic_filter(cell, table)
    else:
        check_xdp_program(cell)


@contextmanager
def _put(lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    with (put_nic_filter if cell.program in FILTERS else put_xdp)(lab, cell) as dut:
        yield dut


def _sources(datapath: str, program: str) -> tuple[str, ...]:
    if program in FILTERS:
        return filter_sources(datapath)
    return (f"bpf/{program}.bpf.c", "measure/datapaths/xdp/native")


LABS = {
    "veth": or_own(of_cell(_check, _open), OWN_OBJECTS),
    "nic": or_own(on_interface(_check_on_interface, _put), OWN_ON_INTERFACE),
}
DATAPATHS = (
    Datapath(
        name="xdp_native",
        label="XDP native",
        programs=(*PROGRAMS, "xdp_drop"),
        sources=partial(_sources, "xdp_native"),
        own=OWN_SUFFIXES,
        own_settings=ObjectSettings,
        own_cost="program",
        rules=RULES,
        described=described,
        labs=LABS,
        operations=OPERATIONS_MAX,
        needs=("xdp_native",),
        cost="accesses",
        place=10,
    ),
    # Where no driver counts what is dropped, xdp_drop has no rate.
    Datapath(
        name="xdp_generic",
        label="XDP generic",
        programs=PROGRAMS,
        sources=partial(_sources, "xdp_generic"),
        own=OWN_SUFFIXES,
        own_settings=ObjectSettings,
        own_cost="program",
        rules=RULES,
        described=described,
        labs=LABS,
        operations=OPERATIONS_MAX,
        needs=("xdp_generic",),
        cost="accesses",
        place=11,
    ),
)
