"""Colours, marks and lines that all figures share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STYLE_FILE = Path(__file__).with_name("linerate.mplstyle")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000")
"""Okabe-Ito, for things without an order."""
ORDERED_COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000")
"""Okabe-Ito from cold to warm, for frame sizes and access counts."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#7f7f7f"
INK = "#333333"
"""Of keys that name a mark or a line, whatever its colour."""
LINE_RATE: dict[str, Any] = {"color": GREY, "linestyle": (0, (4, 2)), "linewidth": 0.8}
"""How a line rate is drawn in every figure."""
IDEAL: dict[str, Any] = {"color": "#b0b0b0", "linestyle": "-", "linewidth": 0.8}


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save figures in the one style."""
    # Figures are listed without being drawn, and matplotlib is slow to load.
    import matplotlib

    with matplotlib.rc_context(fname=STYLE_FILE):
        yield


def colour(index: int, palette: Sequence[str] = COLOURS) -> str:
    """Colour of the index-th thing; they repeat after the last."""
    return palette[index % len(palette)]


def marker(index: int) -> str:
    """Mark of the index-th thing."""
    return MARKERS[index % len(MARKERS)]


def mark(index: int) -> str:
    """Mark of the index-th condition: another one once the colours repeat."""
    return MARKERS[(index + index // len(COLOURS)) % len(MARKERS)]
