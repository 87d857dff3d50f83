"""The folders of logs of Capeletti (2022), whole or in part."""

from __future__ import annotations

from linerate.measure.importers.formats.capeletti.study import IMPORTER, import_capeletti

__all__ = ["IMPORTER", "import_capeletti"]
