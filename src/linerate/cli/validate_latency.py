"""``linerate validate --of latency``: predicted latencies beside measured ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.fit import spread_text
from linerate.cli.output import print_json, stderr, stdout
from linerate.models.fitting import SEED
from linerate.models.folds import SPLITS, Split
from linerate.models.latency_validation import (
    LatencyScore,
    LatencyValidation,
    validate_latency,
)


def print_latency(runs: pd.DataFrame, by: str, figure: Path | None, *, json: bool) -> None:
    """Validate what latencies a table holds, and print or draw it."""
    splits: dict[str, Split] = {name: name for name in SPLITS}
    found = validate_latency(runs, by=splits[by], rng=np.random.default_rng(SEED))
    if figure is not None:
        _draw(found, figure, str(runs["box"].iloc[0]))
    if json:
        print_json({"by": by, "latency": [score.to_dict() for score in found.scores]})
        return
    for quantity in dict.fromkeys(score.quantity for score in found.scores):
        scores = [one for one in found.scores if one.quantity == quantity]
        stdout.print(_table(scores))
        if scores[0].unsaid:
            stdout.print(f"{scores[0].unsaid} more runs were taken for not overloaded.")
    stdout.print(
        "Errors are of single runs: median / mean / P90. Level: median error of the training\n"
        "runs' median, said of every run. Noise: of single runs from their own cell's median.\n"
        "Mean, p50 and p99 are of runs below 80 % of the predicted capacity."
    )


def _draw(found: LatencyValidation, figure: Path, box: str) -> None:
    # Reports load Matplotlib, which is slow, and few validations want a picture.
    from linerate.reports.latency_picture import write_latency_picture

    written = write_latency_picture(figure, found, box)
    stderr.print(f"wrote {written[0]} and {written[1]}")


def _table(scores: list[LatencyScore]) -> Table:
    first = scores[0]
    title = f"{first.quantity}, held out by {first.held_out}"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("path", no_wrap=True)
    for name in ("runs", "error %", "level %", "noise %"):
        table.add_column(name, justify="right", no_wrap=True)
    for score in scores:
        floor = score.noise_floor
        table.add_row(score.name, str(score.runs), spread_text(score.error),
                      f"{score.level_error.median_percent:.1f}",
                      f"{floor.median_percent:.1f}" if floor else "-")  # fmt: skip
    return table
