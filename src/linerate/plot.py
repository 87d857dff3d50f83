"""Figures of measured runs and a model: ``plot.throughput_by_accesses(runs, model)``.

Each figure of a report is a function here, named as its files are, with underscores; ``dir`` lists
them. They are drawn in axes of the caller's, or in a new figure of pyplot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from linerate.errors import bad_input
from linerate.reports.drawing.panels import inches_of
from linerate.reports.figures import FIGURES, figure_named
from linerate.reports.figures.plot import plot
from linerate.reports.language import Words
from linerate.reports.objects.roofline import draw_roofline, roofline_table
from linerate.reports.section import fitted_section
from linerate.reports.validation.splits import draw_splits, splits_table
from linerate.tables.measured import Runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from linerate.face.fits.object_fits import ObjectFits
    from linerate.face.model import Model
    from linerate.face.validation import Validation

NAMES = tuple(figure.name.replace("-", "_") for figure in FIGURES)


def draw(
    name: str, runs: Runs | pd.DataFrame, model: Model, *, ax: Axes | None = None
) -> Axes | np.ndarray:
    """Draw one figure.

    Parameters
    ----------
    name
        One of ``NAMES``.
    runs
        Measured runs; what is drawn is chosen from them.
    model
        What was fitted, on these runs or on others of the machine.
    ax
        Where to draw; a new figure if left out.

    Returns
    -------
    The axes; of a figure of several panels an array of shape (rows, columns).

    Raises
    ------
    BadInputError
        No such figure, or runs that do not show what it needs.
    """
    kind = figure_named(name.replace("_", "-"), FIGURES)
    section = fitted_section(Runs.of(runs).table, model.file)
    section = replace(section, validation=model.validation)
    return _drawn(partial(plot, kind, section), ax)


def errors(validation: Validation, *, ax: Axes | None = None) -> Axes | np.ndarray:
    """Draw predicted over measured rates of the first model, and how all models' errors spread.

    Parameters
    ----------
    validation
        Of rates.
    ax
        Axes in whose place it is drawn; a new figure if left out.

    Raises
    ------
    BadInputError
        A validation of something else.
    """
    found = [one for many in validation.splits.values() for one in many]
    if not found:
        raise bad_input("validation", validation.of, why="it has no rates by memory accesses",
                        allowed="rate", do="validate these")  # fmt: skip
    return _drawn(lambda place: draw_splits(splits_table(found), Words(), place).axes, ax)


def roofline(fits: ObjectFits, *, ax: Axes | None = None) -> Axes:
    """Draw a user's own program below its packet roofline: rate over time in the program.

    Parameters
    ----------
    fits
        What ``linerate.fits`` answered.
    ax
        Axes to draw in; a new figure if left out.
    """
    table = roofline_table(fits.answers)
    return cast("Axes", _drawn(lambda place: draw_roofline(table, Words(), place).axes[0, 0], ax))


def _drawn(
    drawing: Callable[[Axes | None], Axes | np.ndarray], ax: Axes | None
) -> Axes | np.ndarray:
    """Draw in the caller's axes, or in a figure of pyplot, which notebooks show by themselves."""
    if ax is not None:
        return drawing(ax)
    from matplotlib import pyplot as plt  # slow to load, and not needed for the caller's axes

    figure, one = plt.subplots(layout="constrained")
    drawn = drawing(one)
    rows, columns = drawn.shape if isinstance(drawn, np.ndarray) else (1, 1)
    figure.set_size_inches(*inches_of(rows, columns))
    return drawn


def __getattr__(name: str) -> Callable[..., Axes | np.ndarray]:
    if name in NAMES:
        return partial(draw, name)
    raise AttributeError(
        f"module 'linerate.plot' has no figure {name!r}; it has {', '.join(NAMES)}"
    )


def __dir__() -> list[str]:
    return sorted((*NAMES, "draw", "errors", "roofline"))
