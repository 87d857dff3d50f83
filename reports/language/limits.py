"""Names of what limits a rate."""

from __future__ import annotations

from linerate.models.runs.limits import LIMITS
from linerate.reports.language.words import message

LIMIT_WORDS: dict[str, str] = dict(zip(LIMITS, (
    message("CPU time per packet"), message("CPU time of the kernel stage"),
    message("CPU time of the user stage"), message("line rate"), message("the single socket"),
    message("the NIC"), message("the offered load"),
), strict=True))  # fmt: skip
"""Messages of the catalogue."""
