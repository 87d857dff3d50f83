"""The user's own pipelines: files beside the campaign, read as strictly as they are run."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from linerate.cells import Cell
from linerate.measure.datapaths.own import is_own
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.settings import settings_of
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.file import read_spec
from linerate.measure.datapaths.swx.spec.following.paths import longest_path
from linerate.measure.datapaths.swx.spec.p4_source import compile_p4
from linerate.measure.datapaths.swx.spec.printed import print_spec

OWN_SUFFIXES = (".spec", ".p4")
TABLE_SUFFIX = ".txt"


def own_text(cell: Cell, folder: Path) -> PipelineText:
    """Read the pipeline of a cell and the entries of its tables, and write both anew.

    Parameters
    ----------
    cell
        Its ``program`` is a path.
    folder
        Where paths begin: the campaign file's folder, or that with its copy.

    Raises
    ------
    BadInputError
        A file is missing, or is not what DPDK would take; with the line.
    CannotHereError
        A P4 source where there is no compiler.
    LinerateError
        The compiler refuses the source.
    """
    with tempfile.TemporaryDirectory() as compiled:
        path = folder / cell.program
        if path.suffix == ".p4":
            path = compile_p4(path, Path(compiled))
        spec = read_spec(path)
    tables = tuple(
        (name, read_entries(spec, name, folder / file)) for name, file in settings_of(cell).tables
    )
    return PipelineText(spec=print_spec(spec), tables=tables)


def described(cell: Cell, folder: Path) -> Cell:
    """Say of a cell with an own pipeline what a packet executes there, at most."""
    if not is_own(cell.program):
        return cell
    with tempfile.TemporaryDirectory() as compiled:
        path = folder / cell.program
        spec = read_spec(compile_p4(path, Path(compiled)) if path.suffix == ".p4" else path)
    return replace(cell, operations=longest_path(spec).operations)
