"""Mixes in ``linerate validate``: how works were said that had not been seen."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.fit import spread_text
from linerate.cli.output import stdout
from linerate.models.mixes.validation import MixScores, MixValidation

QUESTIONS = {
    "base": "base paths at other settings",
    "number": "other numbers of one kind",
    "mix": "kinds never seen together",
    "mix_number": "mixes in other numbers",
    "setting": "steps at other settings",
}


def print_mixes(validation: MixValidation) -> None:
    """Print how works were said that had not been seen, and what is not within 15 %."""
    title = "Steps held out: each question with all that would give its answer away left out"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("question", "told", "error %", "within\n15 %", "coverage %\n(half-width)"):
        table.add_column(name, justify="left" if name == "question" else "right", no_wrap=True)
    for scores in validation.scores:
        table.add_row(*_row(scores))
    table.add_section()
    table.add_row("noise floor", "", spread_text(validation.noise_floor))
    stdout.print(table)
    stdout.print("told: cells of which something could be said within what was measured.\n"
                 "Errors are of the held-out cell's median: median / mean / P90.")  # fmt: skip
    for one in validation.missed:
        off = "" if one.error_percent != one.error_percent else f"{one.error_percent:+.0f} %, "
        stdout.print(f"  {one.work}: {off}{one.why}", markup=False)


def _row(scores: MixScores) -> tuple[str, ...]:
    told = f"{scores.told} of {scores.cells}"
    if not scores.told:
        return QUESTIONS[scores.sort], told
    return (
        QUESTIONS[scores.sort], told, spread_text(scores.error), f"{scores.within_ratio:.0%}",
        f"{100 * scores.coverage:.1f} ({scores.half_width_percent:.1f})",
    )  # fmt: skip
