"""The user's own programs: their rates are a figure, by where packets end."""

from __future__ import annotations

from linerate.reports.studies.study import StudyKind

STUDY = StudyKind(name="own")
