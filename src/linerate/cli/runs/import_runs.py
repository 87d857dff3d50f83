"""``linerate import``: other people's logs as a table of runs, every defect named."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.output import JsonFlag, print_json, progress_shown, stderr, stdout
from linerate.files.outputs import check_table
from linerate.measure.importers import importers
from linerate.progress import telling

if TYPE_CHECKING:
    from linerate.measure.importers.imported import Imported

FORMATS = importers()
EXAMPLES = f"""
Formats:
{chr(10).join(f"  {name}: {what}" for name, what in FORMATS.items())}

Examples:
  linerate import capeletti experimentos/ --out imported.csv
  linerate import capeletti logs.tar.gz --out imported/ --json
  linerate import csv rates.csv --map mapping.toml --out imported.csv
  linerate import sar host.sar.txt --map mapping.toml --out imported.csv
"""


def import_runs(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help=f"One of: {', '.join(FORMATS)}.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder, archive or single log.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Table to write: .csv, .parquet, or a folder for both."),
    ],
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--map", help="TOML: what a single log's numbers mean (docs/method/other-data.md)."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Import logs as a table of runs; name what each run's logs get wrong.

    Names every file that is not understood, every run that is left out and every defect: here in
    short, in full in the table of findings beside the runs. Nothing is corrected in silence.
    """
    # Slow to load: not for --help.
    from linerate.measure.importers.imported import write_imported

    if out.suffix:
        check_table(out, [each for each in (path, mapping) if each and each.is_file()])
    imported = _import(form, path, mapping)
    written = write_imported(imported, out)
    if json:
        print_json(_answer(imported, written))
    else:
        _print(imported)
        stdout.print("wrote " + ", ".join(map(str, written)))
    stderr.print(f"next: linerate lint {written[0]}")


def _import(form: str, path: Path, mapping: Path | None) -> Imported:
    from linerate.measure.importers.importing import import_logs

    with telling(shown=progress_shown()) as tell:
        done = count(1)
        return import_logs(form, path, mapping, lambda: tell("files", next(done), None))


def _print(imported: Imported) -> None:
    stdout.print(
        f"{len(imported.runs)} runs of {imported.files} files, {len(imported.left_out)} left out"
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="What the logs get wrong")
    table.add_column("defect", no_wrap=True)
    table.add_column("runs", justify="right")
    table.add_column("meaning")
    meanings = imported.meanings()
    for name, runs in imported.defect_counts().items():
        table.add_row(name, str(runs), meanings[name])
    if table.row_count:
        stdout.print(table)
    for left in imported.left_out:
        stdout.print(f"left out: {left.run}: {left.why}")
    for found in imported.findings:
        if not found.run:
            detail = f" ({found.defect.detail})" if found.defect.detail else ""
            stdout.print(f"{found.defect.name}: {found.path}{detail}")


def _answer(imported: Imported, written: list[Path]) -> dict[str, object]:
    return {
        "out": [str(path) for path in written],
        "runs": len(imported.runs),
        "files": imported.files,
        "left_out": [{"run": left.run, "why": left.why} for left in imported.left_out],
        "defects": imported.defect_counts(),
        "findings": imported.findings_table().to_dict("records"),
    }
