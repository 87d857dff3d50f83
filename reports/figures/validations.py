"""Every model's error on runs it has not seen, one row for each way to hold them out."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linerate.reports.figures.agreement import agreement_key, equality, marks
from linerate.reports.figures.panels import name_row, panels, path_rows
from linerate.reports.style import colour, log_axis, styled
from linerate.reports.words import Words

ERROR_PERCENT_MIN = 0.1
"""Smaller errors are drawn here: none is told from 0 by any count of packets."""
LINES: tuple[Literal["-", "--", "-.", ":"], ...] = ("-", "--", "-.", ":")


@styled()
def validations(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the first model's predictions over what was measured, and all models' errors.

    Parameters
    ----------
    table
        As ``validations_table`` gives it.
    words
        The reader's language.
    """
    splits, models = list(table["by"].unique()), list(table["model"].unique())
    paths = path_rows(table)
    grid = panels(len(splits), 2, share_x=False, share_y="col")
    for row, split in enumerate(splits):
        of_split = table[table["by"] == split]
        left, right = grid.axes[row]
        first = of_split[of_split["model"] == models[0]]
        for index, pair in enumerate(paths):
            own = first[_of_pair(first, pair)]
            marks(left, own["measured_mpps"], own["predicted_mpps"], index)
        equality(left, table["measured_mpps"], words)
        for index, model in enumerate(models):
            _ranks(right, of_split[of_split["model"] == model], index)
        _noise(right, of_split)
        log_axis(right, "x", words)
        right.set_xlim(ERROR_PERCENT_MIN, max(200.0, float(table["error_percent"].max())))
        right.set_ylim(0.0, 1.02)
        left.set_ylabel(words("Predicted throughput (Mpps)"))
        right.set_ylabel(words("Share of held-out cells"))
        name_row(right, words("held out: {split}", split=split))
    grid.axes[-1, 0].set_xlabel(words("Measured throughput (Mpps)"))
    grid.axes[-1, 1].set_xlabel(words("Absolute error, at most (%)"))
    grid.axes[0, 0].set_title(words("Model {name}", name=models[0]))
    grid.axes[0, 1].set_title(words("All models"))
    grid.figure.legend(handles=_key(list(paths.values()), models, words),
                       loc="outside right upper", alignment="left")  # fmt: skip
    return grid.figure


def _of_pair(table: pd.DataFrame, pair: tuple[str, str]) -> pd.Series:
    return (table["datapath"] == pair[0]) & (table["program"] == pair[1])


def _ranks(axes: Axes, rows: pd.DataFrame, index: int) -> None:
    ordered = rows.sort_values("share")
    error = np.maximum(ordered["error_percent"].to_numpy(dtype=float), ERROR_PERCENT_MIN)
    # The first model lies over the others, which it is compared with.
    axes.plot(error, ordered["share"].to_numpy(dtype=float), drawstyle="steps-post",
              color=colour(index), linestyle=LINES[index % len(LINES)],
              linewidth=1.8 if index == 0 else 1.0, zorder=3.0 - 0.01 * index)  # fmt: skip


def _noise(axes: Axes, rows: pd.DataFrame) -> None:
    """Mark median and 90th percentile of single runs from their cell's median."""
    floor = rows[["noise_median_percent", "noise_p90_percent"]].iloc[0].to_numpy(dtype=float)
    if np.isfinite(floor).all():
        axes.plot(np.maximum(floor, ERROR_PERCENT_MIN), [0.5, 0.9], color="#333333", marker="x",
                  linestyle="", zorder=4)  # fmt: skip


def _key(paths: list[str], models: list[str], words: Words) -> list[Artist]:
    return [
        *agreement_key(paths, words),
        *(
            Line2D([], [], color=colour(index), linestyle=LINES[index % len(LINES)],
                   label=words("Model {name}", name=name))
            for index, name in enumerate(models)
        ),
        Line2D([], [], color="#333333", marker="x", linestyle="",
               label=words("noise floor of single runs,\nmedian and 90th percentile")),
    ]  # fmt: skip
