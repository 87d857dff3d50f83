"""Predicted over measured times of a packet, by shipped costs as they are and carried over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from linerate.reports.drawing.style import styled

BAND = 0.1
"""About equality."""
WIDTH, HEIGHT = 3.2, 3.4
"""Of a panel, inches."""
SHIPPED, CARRIED = "shipped", "carried"
COLOURS = {SHIPPED: "#c44e00", CARRIED: "#0b3c78"}
"""Dark on white, and apart in grey and to those who do not tell red from green."""


@styled()
def draw(panels: Mapping[str, pd.DataFrame], path: Path) -> None:
    """Draw a panel for each kind of program, two marks for each program.

    Parameters
    ----------
    panels
        By title: ``predicted_ns``, ``measured_ns`` and ``costs``, which ends in ``shipped`` or
        ``carried``.
    path
        PNG or PDF.
    """
    figure, axes = plt.subplots(1, len(panels), figsize=(WIDTH * len(panels), HEIGHT),
                                squeeze=False, layout="constrained")  # fmt: skip
    for place, (title, found) in enumerate(panels.items()):
        panel = axes[0][place]
        times = found[["predicted_ns", "measured_ns"]].to_numpy()
        ends = [0.85 * times.min(), 1.15 * times.max()]
        panel.plot(ends, ends, color="0.4", linewidth=0.8)
        panel.fill_between(ends, [(1 - BAND) * end for end in ends],
                           [(1 + BAND) * end for end in ends], color="0.92")  # fmt: skip
        for costs, colour in COLOURS.items():
            own = found[found["costs"].str.endswith(costs)]
            panel.plot(own["measured_ns"], own["predicted_ns"], "o" if costs == CARRIED else "x",
                       color=colour, markersize=4, label=f"{costs} costs")  # fmt: skip
        panel.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=title)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda ns, _: f"{ns:g}"))
            axis.set_minor_locator(NullLocator())
        panel.set_xlabel("Measured time of a packet (ns)")
    axes[0][0].set_ylabel("Predicted time (ns)")
    axes[0][0].legend()
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)
