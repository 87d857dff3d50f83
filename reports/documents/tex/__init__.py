"""A report as a LaTeX project that compiles as it lies there."""

from __future__ import annotations

from linerate.reports.documents.tex.project import FOLDER, write_project

__all__ = ["FOLDER", "write_project"]
