"""``linerate fits PROGRAM``: does it sustain line rate, with how many queues, how sure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from linerate.cli.output import JsonFlag, print_json, stdout
from linerate.cli.predict import LINK_GBPS, CheckFlag, LinkOption
from linerate.columns import DATAPATHS
from linerate.errors import bad_input
from linerate.line_rate import likely_sustained
from linerate.models.domain import PairDomain
from linerate.models.modelfile import ModelFile
from linerate.models.saved import load_model
from linerate.units import line_rate_mpps

EXAMPLES = (
    "Examples: [bold]linerate fits map_lookup --model model.json --memory-accesses 100[/]  |  "
    "[bold]linerate fits map_lookup --model model.json --datapath xdp_native --memory-accesses 0 "
    "--frame-bytes 64 --check[/]"
)
FRAME_BYTES = (64, 128, 256, 512, 1024, 1500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Answer for one datapath and frame size."""

    datapath: str
    frame_bytes: int
    sustains: bool
    queues: int
    """Fewest queues that do; where none does, those that come nearest."""
    sustains_line_rate: float
    """Probability, 0 to 1."""
    predicted_mpps: float
    line_rate_mpps: float
    bottleneck: str
    in_domain: bool

    def __str__(self) -> str:
        plural = "s" if self.queues > 1 else ""
        rate = f"{self.predicted_mpps:.4g} of {self.line_rate_mpps:.4g} Mpps"
        outside = "" if self.in_domain else " - outside what was measured"
        if self.sustains:
            sure = f"{self.sustains_line_rate:.0%} sure"
            return f"yes, with {self.queues} queue{plural} ({sure}; {rate}){outside}"
        sure = f"{1 - self.sustains_line_rate:.0%} sure"
        return (
            f"no ({sure}): at best {rate} with {self.queues} queue{plural}, "
            f"limited by {self.bottleneck}{outside}"
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
    fitted = load_model(model)
    domains = _domains(fitted, program, datapath)
    notes = fitted.predictor.notes_on({domain.pair for domain in domains})
    answers = [
        _answer(fitted, domain, size, memory_accesses, link_gbps)
        for domain in domains
        for size in ([frame_bytes] if frame_bytes is not None else FRAME_BYTES)
    ]
    if json:
        print_json({
            "program": program, "memory_accesses": memory_accesses, "link_gbps": link_gbps,
            "answers": [{name: getattr(answer, name) for name in Fit.__slots__}
                        for answer in answers],
            "notes": notes,
        })  # fmt: skip
    else:
        stdout.print(f"Does {program} with {memory_accesses} accesses a packet sustain "
                     f"{link_gbps:g} Gbit/s line rate?")  # fmt: skip
        for answer in answers:
            stdout.print(f"  {answer.datapath:12} {answer.frame_bytes:>5} B: {answer}")
        for note in notes:
            stdout.print(f"Note: {note}.")
    if check and not all(answer.sustains for answer in answers):
        raise typer.Exit(1)


def _domains(fitted: ModelFile, program: str, datapath: str | None) -> list[PairDomain]:
    if datapath is not None and datapath not in DATAPATHS:
        raise bad_input("datapath", datapath, why="no such datapath",
                        allowed=", ".join(DATAPATHS), do="use one of these names")  # fmt: skip
    found = [
        domain for domain in fitted.domain.pairs
        if domain.pair.program == program and datapath in (None, domain.pair.datapath)
    ]  # fmt: skip
    if not found:
        raise bad_input(
            "program", program if datapath is None else f"{program} on {datapath}",
            why="the model was not fitted on it",
            allowed=", ".join(str(domain.pair) for domain in fitted.domain.pairs),
            do="measure it and fit again, or ask for one of these",
        )  # fmt: skip
    return found


def _answer(
    fitted: ModelFile, domain: PairDomain, frame_bytes: int, accesses: int, link_gbps: float
) -> Fit:
    """Fewest queues, among those measured or between, that more likely than not sustain it."""
    queues = np.arange(int(domain.queues.low), int(domain.queues.high) + 1)
    cells = pd.DataFrame({
        "datapath": domain.pair.datapath, "program": domain.pair.program, "queues": queues,
        "memory_accesses": accesses, "frame_bytes": frame_bytes, "link_gbps": link_gbps,
    })  # fmt: skip
    said = fitted.predictor.predict(cells)
    enough = np.flatnonzero(likely_sustained(said.sustains_line_rate))
    best = int(enough[0]) if enough.size else int(np.argmax(said.predicted_mpps))
    return Fit(
        datapath=domain.pair.datapath, frame_bytes=frame_bytes, sustains=bool(enough.size),
        queues=int(queues[best]), sustains_line_rate=float(said.sustains_line_rate[best]),
        predicted_mpps=float(said.predicted_mpps[best]),
        line_rate_mpps=float(line_rate_mpps(link_gbps, frame_bytes)),
        bottleneck=str(said.bottleneck[best]), in_domain=bool(said.in_domain[best]),
    )  # fmt: skip
