"""Capacity: its tables and answer are the page's own, beside the verdicts."""

from __future__ import annotations

from linerate.reports.studies.study import StudyKind

STUDY = StudyKind(name="capacity")
