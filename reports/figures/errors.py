"""Sentences about a model's errors."""

from __future__ import annotations

from linerate.models.validation.spread import Spread
from linerate.models.validation.validation import Scores
from linerate.reports.language import Words


def error_sentence(scores: Scores, words: Words) -> str:
    """Error beside the noise floor, in one sentence."""
    return words(
        "Absolute error, median / mean: {error} %; a perfect model would score {floor} %, since "
        "medians of few loads are noisy; share of medians inside their 90 % interval: "
        "{coverage} %.",
        error=spread_text(scores.error, words), floor=spread_text(scores.noise_floor, words),
        coverage=words.number(100.0 * scores.median_coverage),
    )  # fmt: skip


def spread_text(spread: Spread | None, words: Words) -> str:
    """Print median / mean; a dash where cells have one run only."""
    if spread is None:
        return "-"
    return f"{words.number(spread.median_percent, 2)} / {words.number(spread.mean_percent, 2)}"
