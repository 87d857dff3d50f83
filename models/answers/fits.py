"""Whether a program sustains line rate, with how many queues, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from linerate.errors import bad_input, bad_name
from linerate.files.kinds import OBJECT_SUFFIXES
from linerate.line_rate import likely_sustained
from linerate.models.file.modelfile import ModelFile
from linerate.models.intervals.domain import PairDomain
from linerate.models.runs.limit_names import limit_name
from linerate.units import line_rate_mpps

SOURCE_SUFFIX = ".c"
FRAME_BYTES = (64, 128, 256, 512, 1024, 1500)
"""Frame sizes that are asked about where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
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

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

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
            f"limited by {limit_name(self.bottleneck)}{outside}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which program is asked about, on which link."""

    program: str
    """Name that it was measured under."""
    memory_accesses: int
    """Accesses per packet."""
    datapath: str | None = None
    """One datapath; None for all that ran the program."""
    frame_bytes: Sequence[int] = FRAME_BYTES
    """Frame sizes with FCS, B."""
    link_gbps: float = 10.0


def fits_of(fitted: ModelFile, question: Question) -> tuple[Fits, ...]:
    """Answer for each datapath that ran the program, and each frame size.

    Raises
    ------
    BadInputError
        The program was not measured, or not on this datapath.
    """
    return tuple(
        _answer(fitted, domain, size, question)
        for domain in domains_of(fitted, question.program, question.datapath)
        for size in question.frame_bytes
    )


def domains_of(fitted: ModelFile, program: str, datapath: str | None) -> list[PairDomain]:
    """Find where a program was measured.

    Raises
    ------
    BadInputError
        Never.
    """
    known = fitted.predictor.domain.pairs
    names = tuple(dict.fromkeys(each.pair.datapath for each in known))
    if datapath is not None and datapath not in names:
        raise bad_name("datapath", datapath, why="the model was not fitted on it", known=names)
    found = [
        domain for domain in known
        if domain.pair.program == program and datapath in (None, domain.pair.datapath)
    ]  # fmt: skip
    if not found:
        why, do = "the model was not fitted on it", (
            "measure it and fit again, or ask for one of these")  # fmt: skip
        if program.endswith((*OBJECT_SUFFIXES, SOURCE_SUFFIX)):
            why, do = "it is a file; the model knows programs by name", _by_name(fitted, program)
        raise bad_input(
            "program", program if datapath is None else f"{program} on {datapath}", why=why,
            allowed=", ".join(str(domain.pair) for domain in known), do=do,
        )  # fmt: skip
    return found


def _by_name(fitted: ModelFile, program: str) -> str:
    """Say how to ask about an object: by its name, or by measuring it first."""
    name = Path(program).name.split(".")[0]
    if any(domain.pair.program == name for domain in fitted.domain.pairs):
        return f"ask by name: linerate fits {name} --model MODEL.json --memory-accesses N"
    compiled = "compile it, then " if program.endswith(SOURCE_SUFFIX) else ""
    return (f"{compiled}measure it: name it as program in a campaign file, then linerate measure "
            "CAMPAIGN.toml --out FOLDER, and fit that folder")  # fmt: skip


def _answer(fitted: ModelFile, domain: PairDomain, frame_bytes: int, question: Question) -> Fits:
    """Fewest queues, among those measured or between, that more likely than not sustain it."""
    queues = np.arange(int(domain.queues.low), int(domain.queues.high) + 1)
    cells = pd.DataFrame({
        "datapath": domain.pair.datapath, "program": domain.pair.program, "queues": queues,
        "memory_accesses": question.memory_accesses, "frame_bytes": frame_bytes,
        "link_gbps": question.link_gbps,
    })  # fmt: skip
    rates = fitted.predictor.predict(cells)
    enough = np.flatnonzero(likely_sustained(rates.sustains_line_rate))
    best = int(enough[0]) if enough.size else int(np.argmax(rates.predicted_mpps))
    return Fits(
        datapath=domain.pair.datapath, frame_bytes=frame_bytes, sustains=bool(enough.size),
        queues=int(queues[best]), sustains_line_rate=float(rates.sustains_line_rate[best]),
        predicted_mpps=float(rates.predicted_mpps[best]),
        line_rate_mpps=float(line_rate_mpps(question.link_gbps, frame_bytes)),
        bottleneck=str(rates.bottleneck[best]), in_domain=bool(rates.in_domain[best]),
    )  # fmt: skip
