"""The studies that a report may be of: what the page holds of each beside its figures."""

from __future__ import annotations

from linerate.reports.studies import (
    capacity,
    chains,
    filters,
    operations,
    own,
    pipelines,
    searches,
    sockets,
)
from linerate.reports.studies.study import Grid, StudyKind, Summary

STUDY_KINDS: tuple[StudyKind, ...] = (
    capacity.STUDY, own.STUDY, sockets.STUDY, operations.STUDY, pipelines.STUDY, filters.STUDY,
    chains.STUDY, searches.STUDY,
)  # fmt: skip
"""In order of the page."""

__all__ = ["STUDY_KINDS", "Grid", "StudyKind", "Summary"]
