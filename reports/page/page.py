"""What the page of a report shows, ready to be printed by the template."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.reports.page.answers import Tone
from linerate.reports.page.provenance import Fact
from linerate.reports.studies import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One figure of the page."""

    title: str
    caption: str
    png_base64: str
    files: tuple[tuple[str, str], ...]
    """Pairs (form, path relative to the page)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """One figure that could not be drawn."""

    title: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Answer for one path, queue count and frame size."""

    text: str
    detail: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictGrid:
    """A table of verdicts with a header; names stand as texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str | Verdict, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarised:
    """One table of a study."""

    title: str
    statistic: str
    grid: Grid
    file: str
    """Path of its CSV, relative to the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionPage:
    """One machine's part of the page."""

    title: str
    anchor: str
    of_capacity: bool
    """Whether any run is of capacity."""
    answer: tuple[str, ...]
    verdicts: VerdictGrid
    formula: str
    constants: Grid
    errors: Grid
    scores: str
    """Share of right verdicts, and of cells inside their interval."""
    load_errors: Grid
    """Errors of latency and CPU under a load."""
    bottlenecks: Grid
    summaries: tuple[Summarised, ...]
    figures: tuple[Drawn, ...]
    omitted: tuple[Omitted, ...]
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]
