"""PGF of a figure, to be set by LaTeX in the document's own font.

Matplotlib asks a running TeX for the size of every text. Its own fonts' sizes do for the layout,
so no TeX has to be there: text in PGF is placed by its baseline, and LaTeX sets it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

from linerate.reports.drawing.frame import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

HEAD = r"""%% To include the figure: \input{NAME.pgf}, with \usepackage{pgf} in the preamble.
\begingroup
\makeatletter
\begin{pgfpicture}
\pgfpathrectangle{\pgfqpoint{LEFTin}{BOTTOMin}}{\pgfqpoint{WIDTHin}{HEIGHTin}}
\pgfusepath{use as bounding box, clip}
"""
TAIL = r"""\end{pgfpicture}
\makeatother
\endgroup
"""
DPI = 72.0


def can_be_pgf(figure: Figure) -> bool:
    """Whether a figure is all lines, marks and texts: a map would be an image in a second file."""
    from matplotlib.collections import QuadMesh

    return not any(mesh.get_rasterized() for mesh in figure.findobj(QuadMesh))


def pgf_of(figure: Figure, frame: Frame) -> str:
    """Draw a figure in PGF: a text that LaTeX inputs."""
    from matplotlib import rc_context
    from matplotlib.backends import backend_agg, backend_pgf
    from matplotlib.font_manager import FontProperties

    # Backends have no types.
    pgf, agg = cast("Any", backend_pgf), cast("Any", backend_agg).RendererAgg(1, 1, DPI)

    class Measured(pgf.RendererPgf):  # type: ignore[misc, name-defined]
        """Asks no TeX how large a text is."""

        def get_text_width_height_descent(
            self, s: str, prop: FontProperties, ismath: bool | str
        ) -> tuple[float, float, float]:
            width, height, descent = agg.get_text_width_height_descent(s, prop, ismath)
            return float(width), float(height), float(descent)

    drawn, before = io.StringIO(), figure.dpi
    try:
        figure.set_dpi(DPI)
        with rc_context({"pgf.rcfonts": False}):
            figure.draw(Measured(figure, drawn))
    finally:
        figure.set_dpi(before)
    return _head(frame.box_of(figure)) + drawn.getvalue() + TAIL


def _head(box: Bbox) -> str:
    """Begin the picture, as large as what it shows."""
    sizes = {"LEFT": box.x0, "BOTTOM": box.y0, "WIDTH": box.width, "HEIGHT": box.height}
    head = HEAD
    for name, size in sizes.items():
        head = head.replace(name, f"{size:f}")
    return head
