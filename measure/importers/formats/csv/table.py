"""What a mapping file says of a CSV file: how it is written, and what its columns are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from linerate.errors import bad_input
from linerate.measure.datapaths.registry import settings_of_columns
from linerate.measure.importers.mapping import MappingTable
from linerate.tables.columns import KNOWN

UNITS: dict[str, dict[str, float]] = {
    "mpps": {"pps": 1e-6, "kpps": 1e-3, "Mpps": 1.0},
    "gbps": {"bps": 1e-9, "Mbps": 1e-3, "Gbps": 1.0},
    "us": {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6},
    "ns": {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9},
    "s": {"us": 1e-6, "ms": 1e-3, "s": 1.0},
    "ratio": {"ratio": 1.0, "percent": 0.01},
}
"""Last word of a column's name -> unit -> factor into the column's own unit."""


class CsvColumn(MappingTable):
    """Where one column of the table comes from."""

    source: str = Field(alias="from", min_length=1)
    """Name in the CSV's header."""
    unit: str = ""
    """Of the CSV's numbers; without it the column's own."""
    offset: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    """Added last, in the column's unit: 4 where frame sizes are without FCS."""
    values: dict[str, str | int | float] = Field(default_factory=dict)
    """The CSV's words -> the column's; a word that is not listed is refused."""


class CsvTable(MappingTable):
    """How a CSV file is written, and what its columns are."""

    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    decimal: Literal[".", ","]
    """Never guessed: 972.899 is either just under a thousand or nearly a million."""
    thousands: Literal["", ".", ",", " ", "'"] = ""
    columns: dict[str, CsvColumn] = Field(min_length=1)

    @model_validator(mode="after")
    def _possible(self) -> CsvTable:
        if self.thousands == self.decimal:
            raise bad_input("thousands", self.thousands, why="it is the decimal mark too",
                            allowed="another mark, or nothing", do="correct one")  # fmt: skip
        for name, column in self.columns.items():
            if name not in KNOWN and name not in settings_of_columns():
                raise bad_input("columns", name, why="the table of runs has no such column",
                                allowed="see data/README.md", do="correct the name")  # fmt: skip
            if column.unit and column.unit not in units_of(name):
                raise bad_input(
                    f"columns.{name}.unit", column.unit, why="it is not a unit of this column",
                    allowed=", ".join(units_of(name)) or "no unit", do="name one, or leave it out",
                )  # fmt: skip
        return self


def units_of(column: str) -> dict[str, float]:
    """Units that numbers of a column may be given in, with their factors."""
    return UNITS.get(column.rpartition("_")[2], {})
