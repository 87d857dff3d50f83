"""Errors of models on runs that they had not seen, by what was held out, beside the noise floor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.operations import mix_runs
from linerate.models.runs.drawn import drawn
from linerate.models.validation.by_split import (
    FLOOR,
    LATENCY,
    LEVEL,
    RUNS,
    SplitError,
    of_latency,
    of_mixes,
)
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.dots import ROUND_INCHES, ROW_INCHES, named_rows
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import GREY, INK, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.section.by_split import FIGURE as NAME
from linerate.reports.section.by_split import errors_of_capacity
from linerate.reports.section.rows import without_curves
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import counted_paths, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PERCENT_MIN = 0.1
"""Smaller errors are drawn here: no count of packets separates them from 0."""
STATISTICS = ("median_percent", "mean_percent", "p90_percent")
NO_ERRORS = LeftOut(why=message("too few runs to hold any out"))
HEADINGS = {
    ("rate", "group"): message("Rates: unseen groups"),
    ("rate", "frame_bytes"): message("Rates: unseen frame sizes"),
    ("rate", "memory_accesses"): message("Rates: unseen accesses"),
    ("rate", "queues"): message("Rates: unseen queues"),
    ("rate", "random"): message("Rates: unseen cells"),
    ("rate", "sparse"): message("Rates: a tenth seen"),
    ("rate", "box"): message("Rates: unseen boxes"),
    ("latency", "mean"): message("Mean latency: unseen groups"),
    ("latency", "p50"): message("Median latency: unseen groups"),
    ("latency", "p99"): message("P99 latency: unseen groups"),
}  # fmt: skip
OPERATIONS = message("Rates by costs of operations")
SORTS = {
    "base": message("unseen paths"), "number": message("unseen numbers"),
    "mix": message("unseen mixes"), "mix_number": message("unseen numbers of a mix"),
    "setting": message("unseen settings"), "": message("noise floor"),
}  # fmt: skip
NAMES = {
    "capacity": message("fitted capacity"), "hybrid": message("capacity, learned residuals"),
    "gp": message("Gaussian process"), "boosting": message("boosted trees"),
    "forest": message("random forest"), "log_ols": message("log regression"),
    "log_wls": message("weighted log regression"), "log_mixed": message("mixed log regression"),
    "log_quantile": message("median log regression"), LATENCY: message("queueing model"),
    LEVEL: message("median of the other runs"), FLOOR: message("noise floor"),
    RUNS: message("other runs of the cell"),
}  # fmt: skip


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the errors of what was fitted, of what it is compared with, and the floors.

    Returns
    -------
    Rows of the series ``measured``, the ``cells`` and ``runs`` of each path that was held out; and
    of ``error``: ``of, by, model`` and the ``STATISTICS`` of absolute errors.
    """
    known = section.split_errors
    errors = [*(known if known is not None else errors_of_capacity(section))]
    counts = []
    if section.training is not None and errors:
        some = drawn(section.training)
        counts.append(counted_paths(section.runs, some.row, some.cell))
    if section.latency_scores is not None:
        errors += of_latency(section.latency_scores)
    if section.mix_scores is not None:
        errors += of_mixes(section.mix_scores)
        runs = without_curves(section.runs)
        mixed = mix_runs(runs)
        counts.append(counted_paths(runs, mixed.row, mixed.work))
    if not errors or not counts:
        return NO_ERRORS
    return stacked(measured=pd.concat(counts, ignore_index=True), error=error_rows(errors))


def error_rows(errors: Iterable[SplitError]) -> pd.DataFrame:
    """Lay errors out as rows: ``of, by, model`` and ``STATISTICS``."""
    return pd.DataFrame([
        {"of": one.of, "by": one.by, "model": one.model, **asdict(one.error)} for one in errors
    ])  # fmt: skip


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each model below a heading for each split."""
    errors = table[table["series"] == "error"]
    names: list[str] = []
    rows: list[tuple[int, pd.Series]] = []
    for _, row in errors.iterrows():
        heading, name = _named(row, words)
        if heading not in names:
            names.append(heading)
        rows.append((len(names), row))
        names.append(name)
    inches = len(names) * ROW_INCHES + ROUND_INCHES
    grid = panels(Layout(rows=1, columns=1, row_inches=inches), ax)
    axes: Axes = grid.axes[0, 0]
    for place, row in rows:
        _errors(axes, place, row)
    named_rows(axes, names)
    _headings(axes, {place for place, _ in rows})
    axes.set_xlim(*_ends(errors))
    log_axis(axes, "x", words)
    axes.grid(visible=False, axis="y")
    grid.label(words("Absolute error (%)"), "")
    grid.key([
        key_entry(words("median"), marker="o", linestyle=""),
        key_entry(words("mean"), marker="o", linestyle="", markerfacecolor="white"),
        key_entry(words("up to the 90th percentile"), linewidth=0.8),
    ])  # fmt: skip
    return grid


def _named(row: pd.Series, words: Words) -> tuple[str, str]:
    """Name a row, and what it stands below; a capacity model of the user's keeps its own name."""
    if row["of"] == "operations":
        sort = SORTS[row["by"]]
        return words(OPERATIONS), words(sort)
    heading, name = HEADINGS[row["of"], row["by"]], NAMES.get(str(row["model"]), str(row["model"]))
    return words(heading), words(name)


def _errors(axes: Axes, place: int, row: pd.Series) -> None:
    """Draw the statistics of one model; a floor is grey, as it is not a model."""
    drawn: dict[str, Any] = {"color": GREY if row["model"] in (FLOOR, RUNS) else INK}
    median, mean, tail = np.maximum(row[list(STATISTICS)].to_numpy(dtype=float), PERCENT_MIN)
    axes.plot([median, max(tail, mean)], [place, place], linewidth=0.8, zorder=2, **drawn)
    axes.plot([mean], [place], marker="o", markerfacecolor="white", linestyle="", zorder=3, **drawn)
    axes.plot([median], [place], marker="o", linestyle="", zorder=4, **drawn)


def _headings(axes: Axes, rows: set[int]) -> None:
    """Set the names of splits apart from those of models: they have no row of their own."""
    for place, label in enumerate(axes.get_yticklabels()):
        if place not in rows:
            label.set_fontweight("bold")
            axes.axhline(place - 0.5, color="#cccccc", linewidth=0.5, zorder=0)


def _ends(errors: pd.DataFrame) -> tuple[float, float]:
    values = np.maximum(errors[list(STATISTICS)].to_numpy(dtype=float), PERCENT_MIN)
    return 0.8 * float(values.min()), 1.25 * float(values.max())


def caption(table: pd.DataFrame, words: Words, section: Section | None = None) -> Iterator[str]:
    """Say what was held out, and what the floors are."""
    errors = table[table["series"] == "error"]
    there: Sequence[str] = list(errors["of"].unique())
    yield words("Absolute errors on what the model had not seen.")
    if "rate" in there:
        yield words("Rates: each cell's median; a split holds out one group, or one value of a "
                    "factor, at a time.")  # fmt: skip
    if "operations" in there:
        yield words("Operations: what lies inside the measured range; each work is left out with "
                    "all that would give its answer away.")  # fmt: skip
    if errors["model"].isin([FLOOR, RUNS]).any():
        yield words("Grey: what a perfect model would score, since medians of few loads are noisy; "
                    "of latency, single runs from the others of their cell.")  # fmt: skip


FIGURE = FigureKind(
    name=NAME, title=message("Errors of models by what was held out"),
    studies=("capacity", "operations", "pipelines", "filters", "chains"), table=table, draw=draw,
    caption=caption, place=56,
)  # fmt: skip
