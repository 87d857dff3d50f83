"""Other people's data: a study's folder or a single log becomes a table of runs, defects named."""

from __future__ import annotations

from linerate.measure.importers.registry import importers

__all__ = ["importers"]
