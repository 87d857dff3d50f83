"""The picture of predicted and measured latencies as files: figure, and table of what it draws."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from linerate.files.outputs import write_whole
from linerate.models.validation.latency import ALL, LatencyValidation
from linerate.reports.figures.latencies import latencies
from linerate.reports.files import csv_of, rendered
from linerate.reports.words import Words


def write_latency_picture(path: Path, found: LatencyValidation, box: str) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    errors = "; ".join(
        f"{score.quantity} {score.error.median_percent:.0f} % of {score.runs}"
        for score in found.scores if score.name == ALL
    )  # fmt: skip
    said = {
        "title": "Latency of runs that the model had not seen",
        "caption": f"Box {box}; each mark a run; median errors: {errors}; "
                   f"{datetime.now(UTC):%Y-%m-%d}.",
    }  # fmt: skip
    write_whole(path, rendered(latencies(found.frame, Words()), path.suffix[1:], said))
    write_whole(path.with_suffix(".csv"), csv_of(found.frame))
    return path, path.with_suffix(".csv")
