"""The page that figures are drawn for: their width in print, and the house style of a publisher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, get_args

from linerate.errors import bad_input

Style = Literal["plain", "ieee", "acm", "abnt"]
STYLES: tuple[Style, ...] = get_args(Style)
WIDTHS_MM = (88, 160, 180)
"""A column of two, the text of an A4 thesis (ABNT's margins), and both columns."""
HEIGHT_MM_MAX = 220
"""What is left of an A4 page for a figure with its caption."""
NARROW_MM = 120
FRAME_MM = 20
MM = 25.4
SERIF = {"font.family": "STIXGeneral", "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9,
         "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 8}  # fmt: skip
"""A Times that matplotlib brings along; it runs smaller than a sans of the same size."""
FRAME = {"axes.spines.top": True, "axes.spines.right": True}
RC: dict[Style, dict[str, Any]] = {
    "plain": {}, "ieee": SERIF | FRAME, "acm": {"axes.grid": False}, "abnt": FRAME,
}  # fmt: skip
DEFAULT_WIDTHS_MM: dict[Style, tuple[int, ...]] = {
    "plain": (180, 88), "ieee": (180, 88), "acm": (180, 88), "abnt": (160,),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Where a figure will stand."""

    width_mm: int = 180
    style: Style = "plain"

    def __post_init__(self) -> None:
        if self.width_mm not in WIDTHS_MM:
            raise bad_input("width", f"{self.width_mm}mm", why="no page has a column of it",
                            allowed=", ".join(f"{width}mm" for width in WIDTHS_MM),
                            do="take the next wider one and scale it")  # fmt: skip
        if self.style not in STYLES:
            raise bad_input("style", self.style, why="there is no such style",
                            allowed=", ".join(STYLES), do="use one of these")  # fmt: skip

    @property
    def width_inches(self) -> float:
        """Width in print."""
        return self.width_mm / MM

    @property
    def height_inches_max(self) -> float:
        """Most that a figure may take, without the title and source that it is framed by."""
        return (HEIGHT_MM_MAX - (FRAME_MM if self.framed else 0)) / MM

    @property
    def narrow(self) -> bool:
        """Whether it is one column of two: two panels fit side by side, and no key beside them."""
        return self.width_mm < NARROW_MM

    @property
    def columns(self) -> int:
        """Panels that fit side by side."""
        return 2 if self.narrow else 3

    @property
    def framed(self) -> bool:
        """Whether title and source stand in the figure itself."""
        return self.style == "abnt"


_USUAL = Page()
_PAGE: ContextVar[Page] = ContextVar("page", default=_USUAL)


def page() -> Page:
    """Take the page that is drawn for: both columns, unless ``on_page`` says otherwise."""
    return _PAGE.get()


@contextmanager
def on_page(drawn_for: Page) -> Iterator[None]:
    """Draw the figures inside for this page."""
    token = _PAGE.set(drawn_for)
    try:
        yield
    finally:
        _PAGE.reset(token)
