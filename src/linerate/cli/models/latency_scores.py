"""``linerate validate --of latency``: predicted latencies beside measured ones."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.output import stdout
from linerate.models.validation.latency import LatencyScore, LatencyValidation


def print_latency(found: LatencyValidation) -> None:
    """Print the errors of each quantity, path by path, and how to read them."""
    for quantity in dict.fromkeys(score.quantity for score in found.scores):
        scores = [one for one in found.scores if one.quantity == quantity]
        stdout.print(_table(scores))
        if scores[0].not_predicted:
            stdout.print(
                f"{scores[0].not_predicted} more runs were predicted not to be overloaded."
            )
    stdout.print(
        "Errors are of single runs: median / mean / P90. Baseline: median error of predicting\n"
        "the training median for every run. Noise: single runs from the others of their cell.\n"
        "Mean, p50 and p99 are of runs below 80 % of the predicted capacity."
    )


def _table(scores: list[LatencyScore]) -> Table:
    first = scores[0]
    title = f"{first.quantity}, held out by {first.held_out}"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("path", no_wrap=True)
    for name in ("runs", "error %", "baseline %", "noise %"):
        table.add_column(name, justify="right", no_wrap=True)
    for score in scores:
        floor = score.noise_floor
        table.add_row(score.name, str(score.runs), str(score.error),
                      f"{score.level_error.median_percent:.1f}",
                      f"{floor.median_percent:.1f}" if floor else "-")  # fmt: skip
    return table
