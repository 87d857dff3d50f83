"""``linerate validate`` of operations: how combinations that were held out were predicted."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.models.coverage import EXPLAINED, INSIDE, inside_within
from linerate.cli.output import stdout
from linerate.models.operations.validation import QUESTIONS, MixScores, MixValidation


def print_mixes(validation: MixValidation) -> None:
    """Print the error of each question, and what is not within 15 %."""
    title = "Operations held out, together with all runs that would give the answer away"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("question", "answered", "error %", "within\n15 %", INSIDE):
        table.add_column(
            name,
            justify="left" if name == "question" else "right",
            no_wrap=True,
            min_width=len(INSIDE.split("\n")[-1]) if name == INSIDE else None,
        )
    for scores in validation.scores:
        table.add_row(*_row(scores))
    table.add_section()
    table.add_row("noise floor", "", str(validation.noise_floor or "-"))
    stdout.print(table)
    stdout.print("answered: cells inside the measured range.\n"
                 "Errors are of the held-out cell's median: median / mean / P90.\n"
                 "Noise floor: what a perfect model would score.\n" + EXPLAINED)  # fmt: skip
    for one in validation.missed:
        off = "" if one.error_percent != one.error_percent else f"{one.error_percent:+.0f} %, "
        stdout.print(f"  {one.work}: {off}{one.why}", markup=False)


def _row(scores: MixScores) -> tuple[str, ...]:
    answered = f"{scores.answered} of {scores.cells}"
    if not scores.answered:
        return QUESTIONS[scores.sort], answered
    return (
        QUESTIONS[scores.sort], answered, str(scores.error), f"{scores.within_ratio:.0%}",
        inside_within(scores),
    )  # fmt: skip
