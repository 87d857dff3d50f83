"""What a report must know of a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from linerate.reports.drawing.panels import Panels
from linerate.reports.language import Words
from linerate.reports.section import Section
from linerate.reports.section.rows import Study
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Draw(Protocol):
    """Draws what a figure's table holds, and nothing else."""

    def __call__(self, table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
        """Draw in a new figure, or in the place of the caller's axes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureKind:
    """One figure that a report may hold; ``FIGURES`` finds the one of each module."""

    name: str
    """Of its files, and of its function in Python (with underscores)."""
    title: str
    """A message of the catalogue."""
    studies: tuple[Study, ...]
    """A report without rows of any of these does not mention the figure."""
    table: Callable[[Section], pd.DataFrame | LeftOut]
    """Takes the rows: exactly what is drawn, or why nothing is."""
    draw: Draw
    caption: Callable[[pd.DataFrame, Words, Section], Iterable[str]]
    """Says what the marks and lines are that this table has, one sentence each."""
    place: int = 50
    """Where it stands among the figures of its study, the smallest first."""
