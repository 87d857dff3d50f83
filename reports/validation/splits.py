"""Every model's error on runs it has not seen, one row for each way to hold them out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.models.validation.by_split import of_scores
from linerate.models.validation.validation import Validation
from linerate.reports.drawing.agreement import agreement_key, equality, marks
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.colours import CONDITIONS
from linerate.reports.drawing.keys import key_entry, key_measured
from linerate.reports.drawing.panels import Layout, Panels, name_row, panels
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import INK, colour, styled
from linerate.reports.figures.labels import MEASURED_THROUGHPUT, PREDICTED_THROUGHPUT
from linerate.reports.figures.throughput import by_split
from linerate.reports.figures.throughput.held_out import COLUMNS
from linerate.reports.language import Words
from linerate.reports.validation.files import write_files

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

ERROR_PERCENT_MIN = 0.1
"""Smaller errors are drawn here: no count of packets separates them from 0."""
LINES = ("-", "--", "-.", ":")


def splits_table(validations: Sequence[Validation]) -> pd.DataFrame:
    """Each held-out cell of each model and split, with its error and the errors' ranks.

    Returns
    -------
    Columns of the cells, and ``by, model, error_percent`` (absolute), ``share`` (of the model's
    cells with no larger error, 0 to 1), ``noise_median_percent, noise_p90_percent`` (of a
    perfect model on medians of as many loads; nan where no cell was repeated).
    """
    return pd.concat([_of_one(validation) for validation in validations], ignore_index=True)


def _of_one(validation: Validation) -> pd.DataFrame:
    scores, frame = validation.scores, validation.frame[COLUMNS]
    error = 100.0 * (frame["predicted_mpps"] / frame["measured_mpps"] - 1.0).abs()
    floor = scores.noise_floor
    return frame.assign(
        by=scores.by, model=scores.model, error_percent=error,
        share=error.rank(method="first") / len(frame),
        noise_median_percent=floor.median_percent if floor else np.nan,
        noise_p90_percent=floor.p90_percent if floor else np.nan,
    )  # fmt: skip


@styled()
def draw_splits(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the first model's predictions over what was measured, and all models' errors.

    Parameters
    ----------
    table
        As ``splits_table`` gives it.
    words
        The reader's language.
    ax
        Axes in whose place it is drawn.
    """
    splits, models = list(table["by"].unique()), list(table["model"].unique())
    paths = path_rows(table)
    grid = panels(Layout(rows=len(splits), columns=2, share_x=False, share_y="col"), ax)
    for (left, right), split in zip(grid.axes, splits, strict=True):
        of_split = table[table["by"] == split]
        first = of_split[of_split["model"] == models[0]]
        for index, path in enumerate(paths):
            own = of_path(first, path)
            marks(left, own["measured_mpps"], own["predicted_mpps"], index, colours_of(paths))
        equality(left, table["measured_mpps"], words)
        for index, model in enumerate(models):
            _ranks(right, of_split[of_split["model"] == model], index)
        _noise(right, of_split)
        log_axis(right, "x", words)
        right.set_xlim(ERROR_PERCENT_MIN, max(200.0, float(table["error_percent"].max())))
        right.set_ylim(0.0, 1.02)
        left.set_ylabel(words(PREDICTED_THROUGHPUT))
        right.set_ylabel(words("Share of held-out cells"))
        name_row(right, words("held out: {split}", split=split))
    grid.axes[-1, 0].set_xlabel(words(MEASURED_THROUGHPUT))
    grid.axes[-1, 1].set_xlabel(words("Absolute error, at most (%)"))
    grid.axes[0, 0].set_title(words("Model {name}", name=models[0]))
    grid.axes[0, 1].set_title(words("All models"))
    grid.key(_key(paths, models, words))
    return grid


def _ranks(axes: Axes, rows: pd.DataFrame, index: int) -> None:
    ordered = rows.sort_values("share")
    error = np.maximum(ordered["error_percent"].to_numpy(dtype=float), ERROR_PERCENT_MIN)
    # The first model lies over the others, which it is compared with.
    axes.plot(error, ordered["share"].to_numpy(dtype=float), drawstyle="steps-post",
              color=colour(index), linestyle=dashes(index),
              linewidth=1.8 if index == 0 else 1.0, zorder=3.0 - 0.01 * index)  # fmt: skip


def dashes(index: int) -> str:
    """Dashes of the index-th model: other ones once the colours repeat."""
    return LINES[(index + index // len(CONDITIONS)) % len(LINES)]


def _noise(axes: Axes, rows: pd.DataFrame) -> None:
    """Mark median and 90th percentile of what a perfect model would score."""
    floor = rows[["noise_median_percent", "noise_p90_percent"]].iloc[0].to_numpy(dtype=float)
    if np.isfinite(floor).all():
        axes.plot(np.maximum(floor, ERROR_PERCENT_MIN), [0.5, 0.9], color=INK, marker="x",
                  linestyle="", zorder=4)  # fmt: skip


def _key(paths: dict[tuple[str, str], str], models: list[str], words: Words) -> list[Artist]:
    return [
        *agreement_key(list(paths.values()), words, colours_of(paths)),
        *(
            key_entry(words("Model {name}", name=name), color=colour(index),
                      linestyle=dashes(index))
            for index, name in enumerate(models)
        ),
        key_measured(words("noise floor of medians,\nmedian and 90th percentile"), marker="x"),
    ]  # fmt: skip


def write_errors(path: Path, found: Sequence[Validation], box: str) -> tuple[Path, Path]:
    """Write the picture of each model's errors by split, and its CSV; return both paths."""
    rows = by_split.error_rows(of_scores([one.scores for one in found]))
    table, words = rows.assign(series="error"), Words()
    legend = " ".join(by_split.caption(table, words))
    texts = {"title": by_split.FIGURE.title, "caption": f"Box {box}. {legend}"}
    return write_files(path, by_split.draw(table, words), table, texts)


def write_picture(path: Path, found: Sequence[Validation], box: str) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    table = splits_table(found)
    texts = {
        "title": "Errors on runs that the models had not seen",
        "caption": (
            f"Box {box}; {len(table)} held-out cells of {table['model'].nunique()} models, each "
            "against the median of its runs; left the first model, right the share of cells with "
            "at most an error;"
        ),
    }
    return write_files(path, draw_splits(table, Words()), table, texts)
