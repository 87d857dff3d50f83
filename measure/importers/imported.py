"""What an import found: a table of runs, what was left out and why, and every defect by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.errors import LinerateError, bad_input
from linerate.files.outputs import TABLE_SUFFIXES, write_table
from linerate.measure.importers.defects import DEFECTS, Finding
from linerate.measure.trials.lint import judged
from linerate.tables.columns import COLUMNS
from linerate.tables.runs import check_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A run without a row."""

    run: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The outcome of one import."""

    runs: pd.DataFrame
    """The tidy table, each row with its defects and its verdict."""
    left_out: tuple[LeftOut, ...]
    findings: tuple[Finding, ...]
    files: int
    """Files that were looked at."""

    def defect_counts(self) -> dict[str, int]:
        """Defect -> in how many runs or files."""
        found = Counter(dict.fromkeys(DEFECTS, 0))
        found.update(
            name
            for name, _, _ in {(f.defect.name, f.run, f.path if not f.run else "")
                               for f in self.findings}
        )  # fmt: skip
        return {name: count for name, count in found.items() if count}

    def meanings(self) -> dict[str, str]:
        """Defect -> what it means."""
        return {found.defect.name: found.defect.meaning for found in self.findings}

    def findings_table(self) -> pd.DataFrame:
        """One row for each defect of a run or file, then one for each run that was left out."""
        rows = [
            (found.run, found.path, found.defect.name, found.defect.detail,
             found.defect.meaning)
            for found in self.findings
        ]  # fmt: skip
        rows += [(left.run, "", "left_out", left.why, "the run has no row") for left in
                 self.left_out]  # fmt: skip
        return pd.DataFrame(rows, columns=["run", "path", "defect", "detail", "meaning"])


def runs_table(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """Build the tidy table of imported rows, judged by the rules that every run is judged by.

    Raises
    ------
    BadInputError
        A value cannot be one of its column.
    """
    present = {name for row in rows for name in row}
    names = [c.name for c in COLUMNS if c.required or c.name in present]
    return judged(check_runs(pd.DataFrame(list(rows), columns=names)))


def write_imported(imported: Imported, out: Path) -> list[Path]:
    """Write the table and, beside it, the findings; an older import of that name is replaced.

    Returns
    -------
    The files: ``OUT.csv`` or ``OUT.parquet`` and ``OUT.findings.csv``; of a name without suffix
    a folder with ``runs.csv``, ``runs.parquet`` and ``findings.csv``.

    Raises
    ------
    BadInputError
        The folder holds a measured campaign, or the suffix is of neither table.
    LinerateError
        It cannot be written; what was there before is as it was.
    """
    if out.suffix and out.suffix not in TABLE_SUFFIXES:
        raise bad_input(
            "out", out, why="not the name of a table", allowed="a name ending in "
            f"{' or '.join(TABLE_SUFFIXES)}, or a folder", do="name one of these",
        )  # fmt: skip
    folder = out.parent if out.suffix else out
    if not out.suffix and (out / "journal.jsonl").exists():
        raise bad_input(
            "out", out, why="it holds a measured campaign", allowed="another folder, or a file",
            do="choose another name, so that its runs are not replaced",
        )  # fmt: skip
    findings = imported.findings_table()
    tables = {out: imported.runs, out.with_suffix(".findings.csv"): findings}
    if not out.suffix:
        tables = {out / f"runs{suffix}": imported.runs for suffix in TABLE_SUFFIXES}
        tables[out / "findings.csv"] = findings
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LinerateError(f"out={out}: it cannot be written ({error.strerror})") from error
    for path, table in tables.items():
        write_table(path, table)
    return list(tables)
