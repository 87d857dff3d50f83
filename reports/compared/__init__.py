"""Two campaigns of the same cells, compared in a report of their own."""

from __future__ import annotations

from linerate.reports.compared.compared import Compared, compared_of
from linerate.reports.compared.report import write_comparison

__all__ = ["Compared", "compared_of", "write_comparison"]
