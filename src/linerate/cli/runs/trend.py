"""``linerate trend``: how a rate went over many campaigns, and where it stepped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, print_notes, stderr, stdout
from linerate.errors import bad_input

if TYPE_CHECKING:
    from linerate.models.trends.changes import Trend

EXAMPLES = """
Examples:
  linerate trend lab.store --cell datapath=xdp_native,program=map_lookup,frame_bytes=64
  linerate trend lab.store --cell box=lab-1,datapath=tc --by kernel --figure kernels.png
  linerate trend lab.store --cell datapath=xdp_native --by commit --check
  linerate trend monday/ tuesday/ wednesday/ --json
"""

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
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 where the newest step is a regression.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Show how a rate went over many campaigns: where its level stepped, by how much, how sure.

    Each campaign counts once, by the median over its program loads. Levels are groups of campaigns
    by minimum description length; ten campaigns are needed. docs/trends.md says how small a step
    is found, and how often there is none.
    """
    # Slow to load: not for --help.
    from linerate.face.trends import trend as trend_over
    from linerate.reports.trends.picture import write_trend
    from linerate.reports.validation.files import check_picture

    if figure is not None:
        check_picture(figure)
    found = trend_over(*places, cell=cell_of(cell or ()), by=by)
    print_notes(found.notes)
    if figure is not None:
        written = write_trend(figure, found, ", ".join(cell or ()))
        stderr.print(f"wrote {written[0]} and {written[1]}")
    _print(found, as_json)
    if check and found.regressed:
        raise typer.Exit(1)


def cell_of(texts: list[str] | tuple[()]) -> dict[str, list[str]]:
    """Read ``column=value`` pairs, commas between them.

    >>> cell_of(["datapath=tc,queues=1", "queues=2"])
    {'datapath': ['tc'], 'queues': ['1', '2']}
    """
    cell: dict[str, list[str]] = {}
    for pair in (one for text in texts for one in text.split(",")):
        name, equals, value = pair.partition("=")
        if not (name.strip() and equals):
            raise bad_input("cell", pair, why="it is no column and value",
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
