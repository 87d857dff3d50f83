"""``linerate bundle`` and ``linerate verify``: a campaign as one file that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_errors, print_json, progress_shown, stderr, stdout
from linerate.progress import telling

BUNDLE_EXAMPLES = """
Examples:
  linerate bundle results/quick --out quick.tar.zst
  linerate bundle results/quick --report report --out paper.tar.zst --json
"""
VERIFY_EXAMPLES = """
Examples:
  linerate verify quick.tar.zst
  linerate verify paper.tar.zst --json
"""


def bundle(
    campaign: Annotated[
        Path, typer.Argument(metavar="CAMPAIGN", help="Folder of a measured campaign.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Archive: .tar.zst or .tar.gz.")],
    report: Annotated[
        Path | None, typer.Option("--report", help="Folder of its report, to put in too.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a campaign as one file: journal, tables, programs, box, model, versions, hashes.

    An RO-Crate description lies in it, so that catalogues of research data can read what it is.
    """
    # Slow to load: not for --help.
    from linerate.reports.bundle.written import write_bundle

    with telling(shown=progress_shown()) as tell:
        files = write_bundle(campaign, out, report, tell)
    if as_json:
        print_json({"out": str(out), "files": sorted(files)})
    else:
        stdout.print(f"{out}: {len(files)} files, {out.stat().st_size / 1e6:.1f} MB")
    stderr.print(f"next: linerate verify {out}")


def verify(
    archive: Annotated[Path, typer.Argument(metavar="BUNDLE", help="What linerate bundle wrote.")],
    as_json: JsonFlag = False,
) -> None:
    """Check a bundle: hashes; table, model, figures and tables of its report, all made again.

    The table comes from the journal, the model is fitted to it, and the report is drawn as it was
    asked for: byte for byte, or by the numbers that a file shows. Nothing of it is run, and nothing
    is unpacked but into a folder that is deleted at the end. Exits with 1 where something differs.
    The hashes come with the bundle: they tell damage, and not who wrote it.
    """
    # Slow to load: not for --help.
    from linerate.reports.bundle.verified import verify_bundle

    with telling(shown=progress_shown()) as tell:
        checks = verify_bundle(archive, tell)
    if as_json:
        print_json({"bundle": str(archive), "holds": all(one.holds for one in checks),
                    "checks": [{"what": one.what, "holds": one.holds, "detail": one.detail}
                               for one in checks]})  # fmt: skip
    else:
        for one in checks:
            if one.holds:
                stdout.print(f"holds: {one.what}: {one.detail}")
        print_errors(f"does not hold: {one.what}: {one.detail}" for one in checks if not one.holds)
    if not all(one.holds for one in checks):
        raise typer.Exit(1)
