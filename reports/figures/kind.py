"""What a report must know of a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from linerate.reports.sections import Section
from linerate.reports.studies import Study
from linerate.reports.tables import LeftOut
from linerate.reports.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureKind:
    """One figure that a report may hold."""

    name: str
    """Of its files."""
    title: str
    """Message of the catalogue, as are the others."""
    statistic: str
    """What marks and lines are."""
    table: Callable[[Section], pd.DataFrame | LeftOut]
    """Takes the statistics: exactly what is drawn, or why nothing is."""
    draw: Callable[[pd.DataFrame, Words], Figure]
    study: Study = "capacity"
    """A report without rows of this study does not speak of the figure."""
