"""Linear regression of log rates by statsmodels: what a model of physics must beat."""

from __future__ import annotations

from linerate.models.regression.law import (
    LogLinear,
    LogMixed,
    LogOls,
    LogQuantile,
    LogWls,
    summaries,
)
from linerate.models.regression.sample import TERMS, Sample, sample_of

__all__ = [
    "TERMS",
    "LogLinear",
    "LogMixed",
    "LogOls",
    "LogQuantile",
    "LogWls",
    "Sample",
    "sample_of",
    "summaries",
]
