"""Importing in one format: a study as it lies there, a single log with its mapping file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from linerate.errors import BadInputError, bad_input
from linerate.measure.importers.defects import Finding
from linerate.measure.importers.imported import Imported, runs_table
from linerate.measure.importers.importer import AnyLogFormat, Log, LogRead, Row, Study
from linerate.measure.importers.logs.sources import read_source_file
from linerate.measure.importers.mapping import Mapping, RunFacts, read_mapping
from linerate.measure.importers.registry import importer_named
from linerate.units import line_rate_mpps


def import_logs(
    name: str, path: Path, mapping: Path | None = None, progress: Callable[[], None] = lambda: None
) -> Imported:
    """Read logs in the format of this name.

    Parameters
    ----------
    name
        Of a module of ``formats``.
    path
        A study's folder or archive, or one log.
    mapping
        TOML file that says what the run of a single log was.
    progress
        Called for each file of a study.

    Raises
    ------
    BadInputError
        No such format; the logs cannot be read; or log and mapping together make no row.
    """
    importer = importer_named(name)
    if isinstance(importer, Study):
        if mapping is not None:
            raise bad_input("map", mapping, why=f"the layout of {name} says what each run was",
                            allowed="no --map with it", do="leave it out")  # fmt: skip
        return importer.read(path, progress)
    if mapping is None:
        raise bad_input("map", "nothing", why=f"a {name} log does not say what its run was",
                        allowed="a TOML file",
                        do="write one as in docs/method/other-data.md")  # fmt: skip
    return _import_log(name, importer, path, read_mapping(mapping, name, importer.table))


def _import_log(name: str, importer: AnyLogFormat, path: Path, mapping: Mapping) -> Imported:
    file = read_source_file(path)
    try:
        read = importer.read(
            Log(text=file.text(), name=file.path, run=mapping.run, table=mapping.table)
        )
    except UnicodeDecodeError as error:
        raise bad_input("path", path, why="it is not UTF-8", allowed="UTF-8 text",
                        do="convert it: iconv -f latin1 -t utf-8")  from error  # fmt: skip
    except ValueError as error:
        if isinstance(error, BadInputError):
            raise
        raise bad_input("path", path, why=f"it is not a log of {name} ({error})",
                        allowed=f"what {name} wrote", do="check the file") from error  # fmt: skip
    return Imported(
        runs=runs_table(_rows(read, mapping.run, name, file.path)), left_out=(), files=1,
        findings=tuple(
            Finding(run=f"{name} {file.path}", path=file.path, defect=defect)
            for defect in read.defects
        ),
    )  # fmt: skip


def _rows(read: LogRead, run: RunFacts, name: str, source: str) -> list[Row]:
    defects = "+".join(sorted({defect.name for defect in read.defects}))
    return [_facts(run, row, name, source) | row | {"defects": defects} for row in read.rows]


def _facts(run: RunFacts, row: Row, name: str, source: str) -> Row:
    """Complete what the mapping says of the run; a log's own values replace it."""
    defaults: Row = {"source": source, "repetition": 1, "unstable": False, "forwarded_from": name}
    facts = defaults | {key: value for key, value in run if value is not None}
    if facts.get("offered_mpps") == "line":
        known = facts | row
        missing = [key for key in ("link_gbps", "frame_bytes") if known.get(key) is None]
        if missing:
            raise bad_input("run.offered_mpps", "line", why=f"without {', '.join(missing)} there "
                            "is no line rate", allowed="both", do="add them")  # fmt: skip
        line_mpps = line_rate_mpps(float(str(known["link_gbps"])), float(str(known["frame_bytes"])))
        facts["offered_mpps"] = float(line_mpps)
    return facts
