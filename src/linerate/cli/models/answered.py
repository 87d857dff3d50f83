"""What is done with the answer for a user's own file: printed, drawn, and held against a gate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from linerate.cli.output import print_answer, print_errors, print_json, print_notes

if TYPE_CHECKING:
    from linerate.face.fits.chains.answer import ChainFits
    from linerate.face.fits.object_fits import ObjectFits
    from linerate.face.fits.pipelines import PipelineFits
    from linerate.face.fits.ruleset_fits import RulesetFits
    from linerate.models.objects import Gate


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is wanted of an answer for a program that is run."""

    json: bool
    check: bool
    """Whether line rate that is not sustained is a failure."""
    figure: Path | None
    gate: Gate
    """What the program must keep to; nothing in it: line rate, where that is checked."""

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn before anything is run."""
        if self.figure is not None:
            from linerate.reports.validation.files import check_picture  # loads Matplotlib

            check_picture(self.figure)


def answered(found: ObjectFits, wanted: Wanted) -> None:
    """Print an answer, draw it where that is asked, and end with 1 where a gate refuses it."""
    gate = wanted.gate
    limited = gate.budget_ns is not None or gate.latency_us is not None
    print_found(found, wanted.json)
    if wanted.figure is not None:
        _draw(found, wanted.figure)
    failures = found.failures(gate) if wanted.check or limited else ()
    print_errors(failures)
    if failures:
        raise typer.Exit(1)


def print_found(found: ObjectFits | PipelineFits | RulesetFits | ChainFits, json: bool) -> None:
    """Print an answer in words, or as JSON."""
    if json:
        print_json(found.to_dict())
    else:
        print_answer(found)


def _draw(found: ObjectFits, figure: Path) -> None:
    from linerate.reports.objects.roofline import write_roofline  # loads Matplotlib

    written = write_roofline(figure, found.path.name, found.answers)
    print_notes([f"wrote {written[0]} and {written[1]}"])
