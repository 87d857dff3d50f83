"""Lines and marks that all figures share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from linerate.reports.drawing.colours import CONDITIONS, GREY, INK
from linerate.reports.drawing.page import RC, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = (
    "GREY",
    "IDEAL",
    "INK",
    "LINE_RATE",
    "colour",
    "lay_out",
    "look",
    "mark",
    "marker",
    "saving",
    "styled",
)

STYLE_FILE = Path(__file__).with_name("linerate.mplstyle")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINE_RATE: dict[str, Any] = {"color": GREY, "linestyle": (0, (4, 2)), "linewidth": 0.8}
"""How a line rate is drawn in every figure."""
IDEAL: dict[str, Any] = {"color": GREY, "linestyle": ":", "linewidth": 0.9}

# An engine of the name "none" would still have every form drawn twice.
AS_IT_STANDS: Any = {"figure.constrained_layout.use": False, "figure.autolayout": False}


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save figures in the one style, with what the page's own asks for."""
    # Figures are listed without being drawn, and matplotlib is slow to load.
    import matplotlib

    with matplotlib.rc_context(fname=STYLE_FILE):
        # A stub lists each name of a setting as a type of its own; those of styles are plain text.
        matplotlib.rcParams.update(cast("Any", RC[page().style]))
        yield


@contextmanager
def saving() -> Iterator[None]:
    """Save figures in the one style, as they stand: saving gives a figure the usual layout anew."""
    import matplotlib

    with styled(), matplotlib.rc_context(AS_IT_STANDS):
        yield


def lay_out(figure: Figure) -> None:
    """Lay a figure out once, at the resolution of its PNG; every form keeps what was found.

    Matplotlib by itself draws a figure once more for each form, to see what is where; and measures
    the numbers of an axis a second time each time, for a name that it does not have.
    """
    import matplotlib

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.get_label_text():
                axis.set_label_coords(0.5, 0.0)
    engine, before = figure.get_layout_engine(), figure.dpi
    if engine is not None:
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
        engine.execute(figure)
        figure.set_dpi(before)
    with matplotlib.rc_context(AS_IT_STANDS):
        figure.set_layout_engine(None)


def colour(index: int, palette: Sequence[str] = CONDITIONS) -> str:
    """Colour of the index-th thing; they repeat after the last."""
    return palette[index % len(palette)]


def look(index: int, palette: Sequence[str] = CONDITIONS) -> dict[str, Any]:
    """Colour and mark of the index-th thing of a palette."""
    return {"color": colour(index, palette), "marker": mark(index, len(palette))}


def marker(index: int) -> str:
    """Mark of the index-th thing."""
    return MARKERS[index % len(MARKERS)]


def mark(index: int, colours: int = len(CONDITIONS)) -> str:
    """Mark of the index-th condition: another one once the colours repeat."""
    return MARKERS[(index + index // colours) % len(MARKERS)]
