"""Gbit/s as a second axis beside Mpps, where all that is drawn is of one frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import Side, ticks
from linerate.reports.drawing.direct import make_room
from linerate.reports.drawing.page import page
from linerate.reports.language import Words, message

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

GIGABITS = message("Gbit/s")
"""Of frames with their FCS, as the method of a report says."""
GBPS_PER_MPPS_BYTE = 8e-3
ROOM_POINTS = 30.0
"""Of the axis' numbers and name."""


def gigabits_axis(
    panels: Sequence[Axes], sizes: pd.Series, words: Words, which: Side = "y"
) -> None:
    """Add Gbit/s at the far side of panels whose axis is in Mpps and whose scale stands.

    Upright it has no room beside a second panel in one column of a page.

    Parameters
    ----------
    panels
        Those that get one: of a grid its last column, or its first row.
    sizes
        Frame sizes of what is drawn, B with FCS: of several nothing is added.
    words
        The reader's language.
    which
        The axis of the rates.
    """
    from matplotlib.ticker import LogLocator, NullLocator

    known = np.unique(sizes.dropna().to_numpy(dtype=np.float64))
    if len(known) != 1 or (which == "y" and page().narrow and _columns(panels) > 1):
        return
    factor = GBPS_PER_MPPS_BYTE * float(known[0])
    for axes in panels:
        both_ways = (lambda mpps: mpps * factor, lambda gbps: gbps / factor)
        if which == "y":
            axis: Axis = axes.secondary_yaxis("right", functions=both_ways).yaxis
            make_room(axes, ROOM_POINTS)
        else:
            axis = axes.secondary_xaxis("top", functions=both_ways).xaxis
        if (axes.get_yscale() if which == "y" else axes.get_xscale()) == "log":
            axis.set_major_locator(LogLocator(base=10.0, subs=(1.0, 2.0, 5.0)))
            axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(ticks(words))
        axis.set_label_text(words(GIGABITS))


def _columns(panels: Sequence[Axes]) -> int:
    """How many panels stand side by side where these do."""
    places = [axes.get_subplotspec() for axes in panels]
    return max(place.get_gridspec().ncols if place is not None else 1 for place in places)
