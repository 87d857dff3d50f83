"""``linerate compare FUNCTION``: which datapath of this machine serves a function best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, print_notes, progress_shown, stdout

EXAMPLES = """
Examples:
  sudo linerate compare drop --out results/drop
  sudo linerate compare forward --out results/forward --frame-bytes 1500 --figure forward.png
  sudo linerate compare accesses --memory-accesses 100 --out results/accesses --json
  sudo linerate compare route --out results/route
  sudo linerate compare drop-subnet --out results/subnet --repetitions 10
"""


def compare(  # noqa: PLR0913 - one option per flag
    function: Annotated[
        str,
        typer.Argument(
            help="drop, drop-subnet (UDP of one subnet), drop-route, drop-count, forward (send "
            "back), accesses, route (longest prefix) or count (hash table).",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="New folder for the runs.")],
    memory_accesses: Annotated[
        int | None, typer.Option(help="Of accesses: how many a packet (100).", min=0)
    ] = None,
    frame_bytes: Annotated[int, typer.Option(help="Frame size with FCS, B.")] = 64,
    repetitions: Annotated[
        int, typer.Option(help="Program loads of each datapath, interleaved.", min=2, max=50)
    ] = 5,
    figure: Annotated[
        Path | None, typer.Option(help="Picture to draw (.png, .pdf), its table beside it.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Measure one function on every datapath that this machine can run, and rank them.

    An ordinary campaign of one to two minutes, kept in --out: capacity of one core by a flood and,
    where packets come back, latency and CPU at 0.02 Mpps.
    """
    # Slow to load: not for --help.
    from linerate.face.compared import compare as measure_all
    from linerate.measure.campaign.functions import function_named

    if figure is not None:
        from linerate.reports.validation.files import check_picture

        check_picture(figure)
    found = measure_all(
        function_named(function, memory_accesses), out=out, frame_bytes=frame_bytes,
        repetitions=repetitions, progress=progress_shown(),
    )  # fmt: skip
    if json:
        print_json(found.to_dict())
    else:
        stdout.print(str(found))
    if figure is not None:
        from linerate.reports.objects.ranking import write_ranking

        written = write_ranking(figure, found.does, found.frame_bytes, found.standings)
        print_notes([f"wrote {written[0]} and {written[1]}"])
