"""Predicted over measured times of a packet, by shipped costs as they are and carried over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

from linerate.reports.drawing.agreement import agreement_key, equality, marks
from linerate.reports.drawing.style import styled
from linerate.reports.language import Words

WIDTH, HEIGHT = 3.5, 3.5
"""Of a panel, inches."""
COSTS = ("shipped", "carried")


@styled()
def draw(panels: Mapping[str, pd.DataFrame], path: Path) -> None:
    """Draw a panel for each kind of program, two marks for each program.

    Parameters
    ----------
    panels
        By title: ``predicted_ns``, ``measured_ns`` and ``costs``, which ends in one of ``COSTS``.
    path
        PNG or PDF.
    """
    words = Words()
    figure, axes = plt.subplots(1, len(panels), figsize=(WIDTH * len(panels), HEIGHT),
                                squeeze=False, layout="constrained")  # fmt: skip
    for panel, (title, found) in zip(axes[0], panels.items(), strict=True):
        for index, costs in enumerate(COSTS):
            own = found[found["costs"].str.endswith(costs)]
            marks(panel, own["measured_ns"], own["predicted_ns"], index)
        equality(panel, found[["predicted_ns", "measured_ns"]], words)
        panel.set(title=title, xlabel="Measured time (ns)")
    axes[0][0].set_ylabel("Predicted time (ns)")
    key = agreement_key([f"{costs} costs" for costs in COSTS], words)
    figure.legend(handles=key, loc="outside lower center", ncols=len(key))
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)
