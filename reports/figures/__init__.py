"""Every figure of a report: a module of one of these folders that holds a ``FIGURE``."""

from __future__ import annotations

from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.registry import figure_named, figures_in

FIGURES: tuple[FigureKind, ...] = figures_in(__path__, __name__)
"""In the order of the report."""

__all__ = ["FIGURES", "FigureKind", "figure_named", "figures_in"]
