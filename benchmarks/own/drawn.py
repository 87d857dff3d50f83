"""Times of a packet as predicted and as measured: by which costs, priced or run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt

from linerate.reports.drawing.agreement import agreement_key, equality, marks
from linerate.reports.drawing.dots import named_rows
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.style import GREY, colour, marker, styled
from linerate.reports.language import Words

WIDTH, HEIGHT = 3.5, 3.5
"""Of a panel, inches."""
ROWS_WIDTH, ROW_HEIGHT, AROUND_ROWS = 5.5, 0.16, 1.0
"""Of a picture with a row for each program, inches."""
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


@styled()
def draw_errors(answers: Mapping[str, pd.DataFrame], path: Path) -> None:
    """Draw a row for each program, the quickest at the top: how far off each kind of answer is.

    Parameters
    ----------
    answers
        By how they were found: names in the first column, ``predicted_ns`` and ``measured_ns``, a
        row each, of the same programs in the same order.
    path
        PNG or PDF.
    """
    first = next(iter(answers.values()))
    order = first["measured_ns"].sort_values().index
    size = (ROWS_WIDTH, AROUND_ROWS + ROW_HEIGHT * len(order))
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    names, measured_ns = first.loc[order].iloc[:, 0], first.loc[order, "measured_ns"]
    named_rows(axes, [f"{str(name).removeprefix('dpdk_')}, {ns:.0f} ns"
                      for name, ns in zip(names, measured_ns, strict=True)])  # fmt: skip
    axes.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
    key = []
    for index, (how, found) in enumerate(answers.items()):
        look: dict[str, Any] = {"color": colour(index), "marker": marker(index), "linestyle": "",
                "markerfacecolor": "white" if index == 0 else colour(index)}  # fmt: skip
        off = 100.0 * (found["predicted_ns"] / found["measured_ns"] - 1.0)
        axes.plot(off.loc[order], range(len(order)), zorder=2 + index, **look)
        key.append(key_entry(how, **look))
    axes.set_xlabel("Answered over measured time of a packet, less one (%)")
    figure.legend(handles=key, loc="outside upper center", ncols=len(key))
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)
