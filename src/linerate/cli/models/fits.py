"""``linerate fits PROGRAM``: does it sustain line rate, with how many queues, how sure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.models.predict import CheckFlag, LinkOption
from linerate.cli.output import JsonFlag, print_json, stdout
from linerate.links import LINK_GBPS

EXAMPLES = (
    "Examples: [bold]linerate fits map_lookup --model model.json --memory-accesses 100[/]  |  "
    "[bold]linerate fits map_lookup --model model.json --datapath xdp_native --memory-accesses 0 "
    "--frame-bytes 64 --check[/]"
)


def fits(  # noqa: PLR0913 - one option per factor
    program: Annotated[str, typer.Argument(help="Program, by the name it was measured under.")],
    model: Annotated[Path, typer.Option("--model", help="Model file, from linerate fit.")],
    memory_accesses: Annotated[int, typer.Option(help="Accesses per packet.")],
    datapath: Annotated[
        str | None, typer.Option(help="One datapath; all that ran the program if left out.")
    ] = None,
    frame_bytes: Annotated[
        int | None, typer.Option(help="One frame size, B with FCS; the usual ones if left out.")
    ] = None,
    link_gbps: LinkOption = LINK_GBPS,
    json: JsonFlag = False,
    check: CheckFlag = False,
) -> None:
    """Say in words whether a program sustains line rate, with how many queues, and how sure."""
    # Slow to load: not for --help.
    from linerate.models.answers.fits import FRAME_BYTES, Question, domains_of, fits_of
    from linerate.models.file.saved import load_model

    fitted = load_model(model)
    domains = domains_of(fitted, program, datapath)
    notes = fitted.predictor.notes_on({domain.pair for domain in domains})
    answers = fits_of(fitted, Question(
        program=program, memory_accesses=memory_accesses, datapath=datapath,
        frame_bytes=FRAME_BYTES if frame_bytes is None else (frame_bytes,), link_gbps=link_gbps,
    ))  # fmt: skip
    if json:
        print_json({
            "program": program, "memory_accesses": memory_accesses, "link_gbps": link_gbps,
            "answers": [answer.to_dict() for answer in answers], "notes": notes,
        })  # fmt: skip
    else:
        stdout.print(f"Does {program} with {memory_accesses} accesses per packet sustain "
                     f"{link_gbps:g} Gbit/s line rate?")  # fmt: skip
        for answer in answers:
            stdout.print(f"  {answer.datapath:12} {answer.frame_bytes:>5} B: {answer}")
        for note in notes:
            stdout.print(f"Note: {note}.")
    if check and not all(answer.sustains for answer in answers):
        raise typer.Exit(1)
