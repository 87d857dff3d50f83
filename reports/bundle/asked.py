"""What a report was asked for: kept beside it, so that it can be made again and compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from linerate.errors import bad_input
from linerate.files.kinds import TABLES
from linerate.files.outputs import write_whole
from linerate.models.fitting import AUTO
from linerate.reports.language.catalogue import SOURCE
from linerate.reports.page.pictures import Drawing, drawing_named

ASKED = "report.json"
"""Name of its file in the report's folder."""
SCHEMA_VERSION = 1
WORDS_MAX = 100_000
Text = Annotated[str, Field(max_length=WORDS_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of a report, as words of its command."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    command: Text
    """That made it; it stands in its page and in the captions of its figures."""
    runs: tuple[Text, ...]
    """Tables and folders that it is of, as the user named them."""
    kind: Text = AUTO
    lang: Text = SOURCE
    style: Text = "plain"
    widths_mm: tuple[int, ...] = ()
    forms: tuple[Text, ...] = ()
    only: tuple[Text, ...] = ()
    compare: bool = False
    """Whether it is of two campaigns beside each other."""
    schema_version: int = SCHEMA_VERSION

    @property
    def drawing(self) -> Drawing:
        """How its figures are drawn.

        Raises
        ------
        BadInputError
            No figure is drawn so.
        """
        widths = [f"{width}mm" for width in self.widths_mm]
        return drawing_named(widths, self.style, ",".join(self.forms), self.lang, self.only)

    def table_in(self, campaign: Path) -> Path:
        """Give the campaign's folder, or the table in it that the report is of."""
        name = Path(self.runs[0]).name
        return campaign / name if name in TABLES else campaign


def asked_for(
    runs: Sequence[Path], drawn: Drawing, command: str, *, kind: str = AUTO, compare: bool = False
) -> Asked:
    """Say what a report was asked for.

    Parameters
    ----------
    runs
        Tables and folders, as the user named them.
    drawn
        How its figures are drawn.
    command
        Line that makes it again.
    kind
        Of the capacity model.
    compare
        Whether two campaigns are compared.
    """
    return Asked(
        command=command, runs=tuple(map(str, runs)), kind=kind, lang=drawn.lang, style=drawn.style,
        widths_mm=drawn.widths_mm, forms=drawn.forms, only=drawn.only, compare=compare,
    )  # fmt: skip


def write_asked(asked: Asked, folder: Path) -> None:
    """Keep it beside the report.

    Raises
    ------
    LinerateError
        The folder cannot be written, or the disk is full.
    """
    write_whole(folder / ASKED, json.dumps(asdict(asked), indent=2).encode() + b"\n")


_ASKED = TypeAdapter(Asked)


def read_asked(content: bytes | None, report: str) -> Asked:
    """Read what a report was asked for, and refuse one that no single campaign gives again.

    Parameters
    ----------
    content
        Of its file; None where it has none.
    report
        Name of the report, for errors.

    Raises
    ------
    BadInputError
        No such file, another form or a newer one, a comparison, or a report of several tables.
    """
    allowed = "a report of one campaign, made by this linerate"
    again = "make it again: linerate report CAMPAIGN --out FOLDER"
    if content is None:
        raise bad_input("report", report, why=f"it has no {ASKED}, which says how it was made",
                        allowed=allowed, do=again)  # fmt: skip
    try:
        asked = _validated(content)
    except ValueError as error:
        raise bad_input("report", report, why=f"{ASKED}: {error}", allowed=allowed,
                        do=again) from error  # fmt: skip
    if asked.compare or len(asked.runs) != 1:
        raise bad_input("report", report, why=f"it is of {len(asked.runs)} tables: "
                        f"{', '.join(asked.runs)}", allowed="a report of the campaign alone",
                        do=again)  # fmt: skip
    return asked


def _validated(content: bytes) -> Asked:
    try:
        found = from_json(content)
        version = found.get("schema_version") if isinstance(found, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise ValueError(f"it is of a newer linerate (schema {version}, this one reads up to "
                             f"{SCHEMA_VERSION})")  # fmt: skip
        return _ASKED.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from error
