"""A CSV file of any columns, one run a row."""

from __future__ import annotations

from linerate.measure.importers.formats.csv.rows import IMPORTER

__all__ = ["IMPORTER"]
