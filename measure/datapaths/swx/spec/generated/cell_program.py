"""The pipeline of a cell of a campaign."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from linerate.cells import Cell
from linerate.errors import LinerateError
from linerate.measure.datapaths.own import is_own
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.settings import settings_of
from linerate.measure.datapaths.swx.spec.compare import differences
from linerate.measure.datapaths.swx.spec.file import parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.paths import costliest, shared_paths
from linerate.measure.datapaths.swx.spec.generated.entries_text import entries_text
from linerate.measure.datapaths.swx.spec.generated.flow_frame import flow_frame
from linerate.measure.datapaths.swx.spec.generated.program import PRICING, Base, SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.own import own_text
from linerate.measure.datapaths.swx.spec.p4_source import (
    COMPILER,
    compile_p4,
    p4_name_of,
    p4_source,
)
from linerate.measure.datapaths.swx.spec.printed import print_spec


def program_of_cell(cell: Cell) -> SwxProgram:
    """Plan a cell's pipeline.

    Raises
    ------
    BadInputError
        A program or an operation that pipelines are not generated with.
    """
    settings = settings_of(cell)
    return SwxProgram(
        base=cast(Base, cell.program), operations=cell.operations,
        registers=settings.registers, table_entries=settings.table_entries,
    )  # fmt: skip


def executed(cell: Cell) -> Cell:
    """Say of a cell from which pipelines of one's own are priced all that a packet executes there.

    What was asked for comes with moves, actions and writes that are waited for, all of which cost
    time in any pipeline.
    """
    if is_own(cell.program) or cell.program not in PRICING:
        return cell
    return replace(cell, operations=executed_operations(program_of_cell(cell)))


def executed_operations(program: SwxProgram) -> tuple[tuple[str, int], ...]:
    """Count all that the lab's flow executes, pairs (kind, times).

    A jump on a field that an instruction left unknown goes both ways. Of several ways the most
    expensive counts, by rough costs, on which the packet is sent.
    """
    spec = parse_spec(spec_text(program))
    entries = {name: filled(spec, name, text) for name, text in entries_text(program).items()
               if name in spec.tables}  # fmt: skip
    ways = shared_paths(spec, np.random.default_rng(0), entries, flow_frame())
    return costliest(ways).operations


def text_of_cell(cell: Cell, folder: Path) -> PipelineText:
    """Write a cell's pipeline and the entries of its tables, or read them from their files."""
    if is_own(cell.program):
        return own_text(cell, folder)
    return text_of(program_of_cell(cell))


def text_of(program: SwxProgram) -> PipelineText:
    """Write a pipeline and the entries of its tables.

    Where P4 can say the same and its compiler is on the path, the pipeline is what that makes of
    the source in ``p4/``; its hash differs from that of the generated one.

    Raises
    ------
    LinerateError
        The compiler refuses the source, or makes of it a pipeline that does something else.
    """
    name, compiler = p4_name_of(program), shutil.which(COMPILER)
    spec = spec_text(program)
    if name and compiler:
        spec = _from_p4(name, compiler, spec)
    return PipelineText(spec=spec, tables=tuple(entries_text(program).items()))


@cache
def _from_p4(name: str, compiler: str, generated: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_p4(p4_source(name), Path(folder))
        spec = read_spec(compiled)
    others = [each for each in differences(spec, parse_spec(generated)) if not each.is_glue]
    if others:
        listed = ", ".join(f"{each.left} {each.kind} for {each.right}" for each in others)
        raise LinerateError(
            f"p4={name}: {compiler} makes it execute {listed}; allowed: what the generated "
            "pipeline executes, apart from copies and jumps; take the compiler off the path to run "
            "that one"
        )
    return print_spec(spec)
