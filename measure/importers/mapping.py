"""The mapping file of a single log: what its run was, and the format's own table."""

from __future__ import annotations

from collections.abc import Mapping as Mapped
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from linerate.box import first_problem, read_toml
from linerate.errors import bad_input
from linerate.measure.campaign.factors import Strict
from linerate.measure.importers.registry import importers

MAPPING_BYTES_MAX = 256 * 1024
Checked = TypeVar("Checked", bound="MappingTable")


class MappingTable(Strict):
    """A table of a mapping file: no unknown keys, no coercion."""


class RunFacts(MappingTable):
    """What a log does not say of its run; keys are columns of the table of runs."""

    campaign: str | None = None
    source: str | None = None
    """Without it the log's file name."""
    repetition: Annotated[int, Field(ge=1)] | None = None
    """Without it 1."""
    box: str | None = None
    datapath: str | None = None
    program: str | None = None
    memory_accesses: Annotated[int, Field(ge=0)] | None = None
    queues: Annotated[int, Field(ge=1)] | None = None
    frame_bytes: Annotated[float, Field(ge=1)] | None = None
    link_gbps: Annotated[float, Field(gt=0)] | None = None
    offered_mpps: Annotated[float, Field(ge=0)] | Literal["line"] | None = None
    """``"line"`` is the line rate of link and frame size."""
    forwarded_mpps: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Only where the log does not say it: perf."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """A mapping file, as one format reads it."""

    run: RunFacts
    table: MappingTable
    """The format's own."""


def read_mapping(path: Path, name: str, table: type[MappingTable]) -> Mapping:
    """Read and check a mapping file: ``[run]`` and the table of one format.

    Tables of other formats may stand in it, so that one file serves several logs of a run.

    Raises
    ------
    BadInputError
        No such file, no TOML, unknown keys, wrong types or impossible values, or a table that the
        format needs is not there.
    """
    written = read_toml(path, MAPPING_BYTES_MAX)
    allowed = ("run", *importers())
    unknown = next((key for key in written if key not in allowed), None)
    if unknown is not None:
        raise bad_input(f"{path}: {unknown}", "a table", why="unknown key",
                        allowed=", ".join(allowed), do="remove it or correct its name")  # fmt: skip
    run = _checked(RunFacts, written, "run", path)
    needed = [key for key, field in table.model_fields.items() if field.is_required()]
    if needed and name not in written:
        raise bad_input("map", path, why=f"the table [{name}] is missing",
                        allowed=f"[{name}] with {', '.join(needed)}",
                        do="add it (docs/method/other-data.md)")  # fmt: skip
    return Mapping(run=run, table=_checked(table, written, name, path))


def _checked(table: type[Checked], written: Mapped[str, Any], key: str, path: Path) -> Checked:
    try:
        return table.model_validate(written.get(key, {}))
    except ValidationError as error:
        raise first_problem(error, f"{path}: [{key}]") from error
