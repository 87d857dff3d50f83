"""Settings of AF_XDP sockets: figures say it all."""

from __future__ import annotations

from linerate.reports.studies.study import StudyKind

STUDY = StudyKind(name="sockets")
