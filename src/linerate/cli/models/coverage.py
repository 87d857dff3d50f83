"""How often 90 % intervals held what was measured, as tables print it."""

from __future__ import annotations

from linerate.models.operations.validation import MixScores
from linerate.models.validation.validation import Scores

INSIDE = "inside %:\nload / median"
"""Heading of ``inside``."""
EXPLAINED = ("Inside: single loads and medians of several, each in their own 90 % interval; in\n"
             "brackets its half-width, %.")  # fmt: skip


def inside(scores: Scores | MixScores) -> str:
    """Print the shares of loads and of medians inside their intervals."""
    return f"{100 * scores.coverage:.1f} / {100 * scores.median_coverage:.1f}"


def inside_within(scores: Scores | MixScores) -> str:
    """Print these shares, and the half-widths of the intervals on a line of their own."""
    widths = f"({scores.half_width_percent:.1f} / {scores.median_half_width_percent:.1f})"
    return f"{inside(scores)}\n{widths}"
