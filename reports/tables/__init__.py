"""What tables of figures and of the page are built with."""

from __future__ import annotations

from linerate.reports.tables.left_out import LeftOut

__all__ = ["LeftOut"]
