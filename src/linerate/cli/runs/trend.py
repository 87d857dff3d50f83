"""``linerate trend``: how a rate went over many campaigns, and where it stepped."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, print_notes, stderr, stdout
from linerate.errors import bad_input
from linerate.files.outputs import check_outputs

if TYPE_CHECKING:
    from linerate.models.trends.between import Between
    from linerate.models.trends.changes import Trend

EXAMPLES = """
Examples:
  linerate trend lab.store --cell datapath=xdp_native,program=map_lookup,frame_bytes=64
  linerate trend lab.store --cell box=lab-1,datapath=tc --by kernel --figure kernels.png
  linerate trend lab.store --cell datapath=xdp_native --by commit --check
  linerate trend lab.store --cell datapath=xdp_native --page trend.html
  (git rev-list -1 v1.0; git rev-list --reverse v1.0..main) \
    | linerate trend lab.store --cell datapath=tc --between -
  linerate trend monday/ tuesday/ wednesday/ --json
"""

LIST_COMMITS = "git rev-list --reverse OLD..NEW > FILE"
COMMITS_MAX = 10_000_000
"""Characters of a list of commits."""
CellOption = Annotated[
    list[str] | None,
    typer.Option("--cell", help="Columns and their values, as datapath=tc,queues=1; a column "
                 "twice takes both values. Several cells are taken together."),
]  # fmt: skip


def trend(  # noqa: PLR0913 - one parameter per option
    places: Annotated[
        list[str],
        typer.Argument(metavar="STORE|CAMPAIGN...", help="Stores, or several campaigns."),
    ],
    cell: CellOption = None,
    by: Annotated[
        str, typer.Option("--by", help="What the level may step with: date, kernel or commit.")
    ] = "date",
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="PNG or PDF to draw, with a CSV beside it."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="HTML page to write: steps, picture, campaigns.")
    ] = None,
    between: Annotated[
        Path | None,
        typer.Option("--between", help="File of commits, one a line, the oldest first (- reads "
                     "stdin): says which to measure next to find the one that changed the rate."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 where the newest step is a regression.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Show how a rate went over many campaigns: where its level stepped, by how much, how sure.

    Each campaign counts once, by the median over its program loads. Levels are groups of campaigns
    by minimum description length; ten campaigns are needed. docs/trends.md says how small a step
    is found, and how often there is none. With --between the answer is the commit to measure next.
    """
    # Slow to load: not for --help.
    from linerate.face.trends import bisect
    from linerate.face.trends import trend as trend_over
    from linerate.reports.trends.page import write_page
    from linerate.reports.trends.picture import write_trend
    from linerate.reports.validation.files import check_picture

    if between is not None:
        _refuse({"figure": figure, "page": page, "check": check or None})
        named = _commits(between)
        _print_between(bisect(*places, commits=named, cell=cell_of(cell or ())), as_json)
        return
    check_outputs({"page": page})
    if figure is not None:
        check_picture(figure)
    found = trend_over(*places, cell=cell_of(cell or ()), by=by)
    print_notes(found.notes)
    if figure is not None:
        written = write_trend(figure, found, ", ".join(cell or ()))
        stderr.print(f"wrote {written[0]} and {written[1]}")
    if page is not None:
        command = shlex.join(["linerate", *sys.argv[1:]])
        write_page(page, found, ", ".join(cell or ()), command)
        stderr.print(f"wrote {page}")
    _print(found, as_json)
    if check and found.regressed:
        raise typer.Exit(1)


def _refuse(given: Mapping[str, object | None]) -> None:
    """Refuse options that belong to a trend, beside those of a search between commits."""
    for name, value in given.items():
        if value is not None:
            raise bad_input(name, value, why="--between asks for the next commit alone",
                            allowed="--cell and --json with --between",
                            do="leave one of them out")  # fmt: skip


def _commits(path: Path) -> list[str]:
    """Read the commits of a file, the first word of each line."""
    try:
        text = sys.stdin.read(COMMITS_MAX + 1) if str(path) == "-" else _beginning(path)
    except (OSError, UnicodeDecodeError) as error:
        raise bad_input("between", path, why=f"it cannot be read ({error})", allowed="a text file",
                        do=f"write one: {LIST_COMMITS}") from error  # fmt: skip
    commits = [line.split()[0] for line in text.splitlines() if line.strip()]
    if len(text) > COMMITS_MAX or not commits:
        raise bad_input("between", path, why="it names no commits" if not commits else "it is too "
                        "long", allowed=f"1 to {COMMITS_MAX} characters, a commit on each line",
                        do=f"write it anew: {LIST_COMMITS}")  # fmt: skip
    return commits


def _beginning(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(COMMITS_MAX + 1)


def _print_between(found: Between, as_json: bool) -> None:
    if as_json:
        print_json(found.to_dict())
        return
    for line in found.lines():
        stdout.print(line)


def cell_of(texts: list[str] | tuple[()]) -> dict[str, list[str]]:
    """Read ``column=value`` pairs, commas between them.

    >>> cell_of(["datapath=tc,queues=1", "queues=2"])
    {'datapath': ['tc'], 'queues': ['1', '2']}
    """
    cell: dict[str, list[str]] = {}
    for pair in (one for text in texts for one in text.split(",")):
        name, equals, value = pair.partition("=")
        if not (name.strip() and equals):
            raise bad_input("cell", pair, why="it is not a column and value",
                            allowed="column=value, commas between several",
                            do="as in --cell datapath=tc,queues=1")  # fmt: skip
        cell.setdefault(name.strip(), []).append(value.strip())
    return cell


def _print(found: Trend, as_json: bool) -> None:
    if as_json:
        print_json(found.to_dict())
    else:
        for line in found.lines():
            stdout.print(line)
