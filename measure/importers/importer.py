"""What an importer is: a format that ``linerate import`` reads, as one record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from linerate.measure.importers.defects import Defect
from linerate.measure.importers.imported import Imported
from linerate.measure.importers.mapping import MappingTable, RunFacts

Row = dict[str, object]
"""Column of the table of runs -> value."""
Table = TypeVar("Table", bound=MappingTable)


class NoTable(MappingTable):
    """The table of a format that needs nothing of its own in a mapping file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Generic[Table]):
    """One log, and what its mapping file says."""

    text: str
    name: str
    """Of the file."""
    run: RunFacts
    table: Table
    """The format's own table of the mapping file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRead:
    """What a log gives."""

    rows: Sequence[Row]
    """What the log itself says of each run; the mapping's facts are added."""
    defects: Sequence[Defect] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat(Generic[Table]):
    """A format of single logs, which do not say what their run was: a mapping file does."""

    table: type[Table]
    """Its own table of a mapping file, of the format's name: ``NoTable`` where it needs none."""
    read: Callable[[Log[Table]], LogRead]
    """Refuses with ValueError what is no such log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A format of whole folders or archives, whose layout says what each run was."""

    read: Callable[[Path, Callable[[], None]], Imported]
    """From the folder or archive; calls back for each file."""


AnyLogFormat = LogFormat[MappingTable]
Importer = AnyLogFormat | Study
