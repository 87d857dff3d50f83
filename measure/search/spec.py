"""What one search is to do, whatever it is done on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linerate.measure.search.curve import Curve
from linerate.searches import Preset, SearchGoal

Test = Literal["mrr", "ndr", "pdr", "throughput", "latency", "frame_loss", "back_to_back"]
"""What a search may be asked for."""
TESTS: dict[Preset, tuple[Test, ...]] = {
    "mlrsearch": ("mrr", "ndr", "pdr"),
    "rfc2544": ("throughput", "latency", "frame_loss", "back_to_back"),
}
"""What each preset knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSpec:
    """A search of one cell."""

    preset: Preset
    tests: tuple[Test, ...]
    goals: tuple[SearchGoal, ...]
    """Goals of those tests that look for a rate."""
    min_mpps: float
    max_mpps: float | None
    """None for what the line carries and the generator sends."""
    trial_seconds: float
    warm_up_seconds: float
    retries: int
    """Further trials of a load whose trial was disturbed, before the last one is taken as it is."""
    point_retries: int
    """The same of a load that is a result by itself, whose disturbed trials stand beside it."""
    seconds_max: float
    """Trial time of one search, its curve apart."""
    mrr_trials: int
    latency_trials: int
    curve: Curve | None
