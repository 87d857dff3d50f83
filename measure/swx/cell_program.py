"""The pipeline of a cell of a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from linerate.cells import Cell, PipelineSettings
from linerate.measure.datapaths.swx_program import PipelineText
from linerate.measure.swx.entries_text import entries_text
from linerate.measure.swx.own import is_own, own_text
from linerate.measure.swx.program import Base, SwxProgram
from linerate.measure.swx.spec_text import spec_text


def program_of_cell(cell: Cell) -> SwxProgram:
    """Plan a cell's pipeline.

    Raises
    ------
    BadInputError
        A program or an operation that pipelines are not generated with.
    """
    settings = cell.pipeline or PipelineSettings()
    return SwxProgram(
        base=cast(Base, cell.program), operations=cell.operations,
        registers=settings.registers, table_entries=settings.table_entries,
    )  # fmt: skip


def text_of_cell(cell: Cell, folder: Path) -> PipelineText:
    """Write a cell's pipeline and the entries of its tables, or read them from their files."""
    if is_own(cell.program):
        return own_text(cell, folder)
    return text_of(program_of_cell(cell))


def text_of(program: SwxProgram) -> PipelineText:
    """Write a pipeline and the entries of its tables."""
    return PipelineText(spec=spec_text(program), tables=tuple(entries_text(program).items()))
