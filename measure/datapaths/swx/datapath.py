"""Pipelines of DPDK's SWX: generated, or from the user's own .spec or .p4."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linerate.cells import Cell
from linerate.measure.datapaths.datapath import Datapath, LabBench, Where
from linerate.measure.datapaths.nic.bench import check_on_interface, open_on_interface
from linerate.measure.datapaths.swx.bench import ProgramOf, check_swx, open_swx_bench
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.nic import check_nic_pipeline, open_card_bench, put_pipeline
from linerate.measure.datapaths.swx.rules import RULES
from linerate.measure.datapaths.swx.settings import PipelineSettings, settings_of
from linerate.measure.datapaths.swx.spec.generated.cell_program import executed, text_of_cell
from linerate.measure.datapaths.swx.spec.kinds import KINDS_MAX
from linerate.measure.datapaths.swx.spec.own import OWN_SUFFIXES, described
from linerate.measure.labs.card import is_card
from linerate.measure.trials.bench import Bench
from linerate.measure.trials.device import failures_are_results


def _program_of(folder: Path) -> ProgramOf:
    def text(cell: Cell) -> PipelineText:
        with failures_are_results():
            return text_of_cell(cell, folder)

    return text


def _check_nic(cell: Cell, where: Where) -> None:
    assert where.nic
    check_on_interface(cell, where.nic, card=settings_of(cell).port == "pci")
    check_nic_pipeline(cell, where.nic, _program_of(where.folder))


@contextmanager
def _open_nic(cell: Cell, where: Where) -> Iterator[Bench]:
    assert where.site
    program = _program_of(where.folder)(cell)
    if is_card(where.site.table.interface):
        with open_card_bench(cell, where.site, program) as bench:
            yield bench
        return
    with open_on_interface(
        cell, where.site, lambda lab, cell: put_pipeline(lab, cell, program)
    ) as bench:
        yield bench


DATAPATHS = (
    Datapath(
        name="swx",
        label="DPDK SWX",
        programs=("forward", "l2l3", "bare", "parsed"),
        sources=lambda _: (
            "measure/datapaths/swx/spec/generated",
            "measure/datapaths/swx/native",
        ),
        own=OWN_SUFFIXES,
        settings=PipelineSettings,
        rules=RULES,
        operations=KINDS_MAX,
        described=described,
        executed=executed,
        labs={
            "dpdk": LabBench(
                check=lambda cell, where: check_swx(cell, _program_of(where.folder)),
                open=lambda cell, where: open_swx_bench(cell, _program_of(where.folder)),
            ),
            "nic": LabBench(check=_check_nic, open=_open_nic),
        },
        needs=("dpdk", "dpdk_headers"),
        cost="operations",
        place=50,
    ),
)
