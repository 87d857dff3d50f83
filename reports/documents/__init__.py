"""What a report is printed as beside its page: LaTeX to write a paper in, and a PDF."""

from __future__ import annotations

from linerate.reports.documents.documents import (
    DEFAULT_DOCUMENTS,
    DOCUMENTS,
    documents_named,
    write_documents,
)

__all__ = ["DEFAULT_DOCUMENTS", "DOCUMENTS", "documents_named", "write_documents"]
