"""``linerate compare-kernels`` and ``compare-boxes``: what a packet costs more on the second."""

from __future__ import annotations

from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, print_notes, stdout
from linerate.cli.runs.trend import CellOption, cell_of

KERNEL_EXAMPLES = """
Examples:
  linerate compare-kernels lab.store --cell box=lab-1
  linerate compare-kernels before/ after/
  linerate compare-kernels lab.store --of 6.1.0-40-amd64 --of 6.12.9-amd64 --json
"""
BOX_EXAMPLES = """
Examples:
  linerate compare-boxes lab.store --of lab-1 --of lab-2
  linerate compare-boxes mine/ theirs/ --cell datapath=xdp_native
"""

PlacesArgument = Annotated[
    list[str],
    typer.Argument(metavar="STORE|CAMPAIGN...", help="Stores, folders of campaigns or tables."),
]
SidesOption = Annotated[
    list[str] | None,
    typer.Option("--of", help="Name it, and the other one: the one to compare with first. Where "
                 "the runs are of two, the one that was measured first comes first."),
]  # fmt: skip


def compare_kernels(
    places: PlacesArgument, of: SidesOption = None, cell: CellOption = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Say what a packet costs more or less on another kernel: base path, access, contention.

    Cells that both kernels have are paired, over all campaigns of one machine; the kernel is that
    of a campaign's box.json. The answer is a ratio with its 90 % interval, and the constants of the
    capacity model that changed, in ns.
    """
    _contrast("kernel", places, of, cell, as_json)


def compare_boxes(
    places: PlacesArgument, of: SidesOption = None, cell: CellOption = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Say what a packet costs more or less on another box: base path, access, contention.

    As compare-kernels does, by the box of each run.
    """
    _contrast("box", places, of, cell, as_json)


def _contrast(
    by: str, places: list[str], of: list[str] | None, cell: list[str] | None, as_json: bool
) -> None:
    from linerate.face.contrasted import contrast  # slow to load: not for --help

    found = contrast(*places, by=by, sides=of or (), cell=cell_of(cell or ()))
    print_notes(found.notes)
    if as_json:
        print_json(found.to_dict())
        return
    stdout.print(str(found))
    print_notes(found.doubts)
