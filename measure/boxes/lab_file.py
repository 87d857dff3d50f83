"""The lab file: which boxes there are, and where the keys lie by which they know each other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from linerate.box import Box, first_problem, parse_toml, read_box, read_text
from linerate.errors import bad_input
from linerate.measure.campaign.factors import Strict
from linerate.measure.campaign.hosts import NicTable

LAB_BYTES_MAX = 1024 * 1024
BOXES_MAX = 4096
NAME = r"^[a-z0-9][a-z0-9-]{0,63}$"


class BoxEntry(Strict):
    """One testbed."""

    name: Annotated[str, Field(pattern=NAME)]
    """What ``linerate worker`` is given, and the column ``box`` of its runs."""
    box_file: str = ""
    """Box file that its machine must be, from the lab file's folder; empty for any."""
    nic: NicTable | None = None
    """Its interface, cores and cable to a generator host, for campaigns that name the box."""


class LabTable(Strict):
    """What a lab file says."""

    boxes: Annotated[list[BoxEntry], Field(min_length=1, max_length=BOXES_MAX)]
    keys: str = ""
    """Folder of token, certificate and key, from the lab file's folder; empty for the file's name
    with ``.keys`` in place of ``.toml``."""
    lease_seconds: Annotated[float, Field(ge=1, le=3600)] = 60.0
    """How long a box may be silent before others get what it had in hand."""
    patience_seconds: Annotated[float, Field(ge=1, le=86400)] = 300.0
    """How long to wait for a scheduler, or for any box, that is gone."""
    clock_skew_max_seconds: Annotated[float, Field(ge=0.1, le=3600)] = 5.0
    """How far a box's clock may be off this machine's."""
    drop_after_days: Annotated[float, Field(ge=1, le=36500)] | None = None
    """When a worker that starts drops what no campaign has come back for; None for never."""

    @field_validator("boxes")
    @classmethod
    def _have_names(cls, boxes: list[BoxEntry]) -> list[BoxEntry]:
        names = [box.name for box in boxes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise bad_input(
                "name", twice[0], why="two boxes have it", allowed="a name of its own for each box",
                do="rename one",
            )  # fmt: skip
        return boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """A lab file, and the folder that its paths begin in."""

    table: LabTable
    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its boxes."""
        return tuple(box.name for box in self.table.boxes)

    @property
    def keys(self) -> Path:
        """Folder of token, certificate and key."""
        return self.path.parent / (self.table.keys or f"{self.path.stem}.keys")

    def known(self, name: str) -> str:
        """Refuse the name of a box that is none of them."""
        if name not in self.names:
            raise bad_input(
                "box", name, why=f"{self.path} names no such box", allowed=", ".join(self.names),
                do="use one of these names, or add it to the lab file",
            )  # fmt: skip
        return name

    def nic(self, name: str) -> dict[str, Any]:
        """Give the keys of ``[nic]`` that a box has for all campaigns."""
        self.known(name)
        entry = next(box for box in self.table.boxes if box.name == name)
        if entry.nic is None:
            raise bad_input(
                "box", name, why=f"{self.path} names no interface of it", allowed="a box with a "
                "table [boxes.nic]", do="add one, with the keys of a campaign's [nic]",
            )  # fmt: skip
        return entry.nic.model_dump(exclude_unset=True)

    def box_file(self, name: str) -> Box | None:
        """Read the box file that a box must be; None where it names none."""
        entry = next(box for box in self.table.boxes if box.name == name)
        return read_box(self.path.parent / entry.box_file) if entry.box_file else None


def read_lab(path: str | os.PathLike[str]) -> Lab:
    """Read and check a lab file.

    Raises
    ------
    BadInputError
        No such file, no TOML, unknown keys, a name twice, or impossible values.
    """
    path = Path(path)
    fields = parse_toml(read_text(path, LAB_BYTES_MAX), str(path))
    try:
        return Lab(table=LabTable.model_validate(fields), path=path)
    except ValidationError as error:
        raise first_problem(error, str(path)) from error
