"""The fitted model in a report's page, with sliders: evaluated there, from the fitted constants."""

from __future__ import annotations

from linerate.reports.explorer.explorer import SCRIPTS, Explorer, explorer_of

__all__ = ["SCRIPTS", "Explorer", "explorer_of"]
