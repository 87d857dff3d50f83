"""One [[searches]] block of a campaign file: factors, and what is searched for at each."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.block import BURST_PACKETS_MAX, FactorBlock
from linerate.measure.campaign.cells import OFFERED_MPPS_MAX, OFFERED_MPPS_MIN
from linerate.measure.campaign.factors import Strict
from linerate.measure.search.curve import Curve
from linerate.measure.search.goals import GOALS, THROUGHPUT, scaled
from linerate.measure.search.rfc2544 import FRAME_BYTES
from linerate.measure.search.spec import TESTS, SearchSpec, Test
from linerate.searches import Preset, SearchGoal

SEARCH_SECONDS_MAX = 1200.0
"""Trial time of one search unless the file says otherwise: MLRsearch's own default."""
SEARCH_RETRIES, SEARCH_RETRIES_MAX = 10, 100
MRR_TRIALS = 10
"""As many as FD.io CSIT takes."""
LATENCY_TRIALS = 20
"""The least that RFC 2544, section 26.2, asks for."""

_Rate = Annotated[float, Field(ge=OFFERED_MPPS_MIN, le=OFFERED_MPPS_MAX)]
_Ratio = Annotated[float, Field(ge=0.0, lt=1.0)]
_Seconds = Annotated[float, Field(gt=0.0, le=3600.0)]


class CurveTable(Strict):
    """A load-latency curve at the rate that a search found."""

    percent: list[Annotated[float, Field(gt=0.0, le=200.0)]] = Field(min_length=1, max_length=100)
    """Of the highest lower bound."""
    arrivals: list[Literal["constant", "poisson", "burst"]] = Field(["constant"], min_length=1)
    burst_packets: Annotated[int, Field(ge=1, le=BURST_PACKETS_MAX)] = 32
    """Packets of one burst of burst arrivals: what DPDK's drivers take at once."""
    trials: Annotated[int, Field(ge=1, le=1000)] = 1

    def curve(self) -> Curve:
        """Make the record."""
        return Curve(
            percents=tuple(self.percent),
            arrivals=tuple(self.arrivals),
            burst_packets=self.burst_packets,
            trials=self.trials,
        )


class SearchBlock(FactorBlock):
    """One [[searches]] block."""

    frame_bytes: list[int | Literal["imix"]] = Field(list(FRAME_BYTES), min_length=1)
    """Without it the sizes of RFC 2544."""
    preset: Preset = "mlrsearch"
    goals: list[Test] = Field([], max_length=4)
    """Empty for NDR and PDR, or all tests of RFC 2544."""
    min_mpps: _Rate
    max_mpps: _Rate | None = None
    trial_seconds: _Seconds | None = None
    """Length of the trials that decide; None for the campaign's."""
    initial_trial_seconds: _Seconds | None = None
    duration_sum_seconds: _Seconds | None = None
    exceed_ratio: _Ratio | None = None
    width_ratio: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    search_seconds_max: Annotated[float, Field(gt=0.0, le=86400.0)] = SEARCH_SECONDS_MAX
    retries: Annotated[int, Field(ge=0, le=SEARCH_RETRIES_MAX)] = SEARCH_RETRIES
    """Further trials of a step that was disturbed, before the last one counts as it is."""
    mrr_trials: Annotated[int, Field(ge=1, le=1000)] = MRR_TRIALS
    latency_trials: Annotated[int, Field(ge=1, le=1000)] = LATENCY_TRIALS
    curve: CurveTable | None = None

    @field_validator("generator")
    @classmethod
    def _paced(cls, generator: str) -> str:
        if generator != "live_frames":
            raise bad_input(
                "generator", generator, why="a search needs one that keeps any rate",
                allowed="live_frames", do="leave it out, or use a [[cells]] block",
            )  # fmt: skip
        return generator

    @model_validator(mode="after")
    def _searchable(self) -> SearchBlock:
        known = TESTS[self.preset]
        for name in self.goals:
            if name not in known or self.goals.count(name) > 1:
                raise bad_input(
                    "goals", name, why=f"preset {self.preset} does not know it, or it stands twice",
                    allowed=", ".join(known), do="correct it",
                )  # fmt: skip
        if self.preset == "rfc2544" and self.exceed_ratio:
            raise bad_input(
                "exceed_ratio", self.exceed_ratio, why="RFC 2544 tries each rate once",
                allowed="0, or preset = \"mlrsearch\"", do="leave it out",
            )  # fmt: skip
        return self

    def cells(self, lab: str) -> list[Cell]:
        """Every cell that is searched; the rate of its load is the lowest of the search."""
        return self.combined(lab, lambda mix: [self.load(mix, self.min_mpps)])

    def spec(self, *, trial_seconds: float, warm_up_seconds: float, retries: int) -> SearchSpec:
        """Say what is done with each cell; times are the campaign's where the block has none.

        ``retries`` are those of loads that are results by themselves.
        """
        seconds = self.trial_seconds or trial_seconds
        tests = tuple(self.goals) or self._default_tests()
        wanted = [GOALS[name] for name in tests if name in GOALS]
        if self.preset == "rfc2544":
            wanted = [THROUGHPUT]  # the other tests start from it
        return SearchSpec(
            preset=self.preset,
            tests=tests,
            goals=tuple(self._goal(goal, seconds) for goal in wanted),
            min_mpps=self.min_mpps,
            max_mpps=self.max_mpps,
            trial_seconds=seconds,
            warm_up_seconds=warm_up_seconds,
            retries=self.retries,
            point_retries=retries,
            seconds_max=self.search_seconds_max,
            mrr_trials=self.mrr_trials if "mrr" in tests else 0,
            latency_trials=self.latency_trials,
            curve=self.curve.curve() if self.curve else None,
        )

    def _default_tests(self) -> tuple[Test, ...]:
        return ("ndr", "pdr") if self.preset == "mlrsearch" else TESTS["rfc2544"]

    def _goal(self, goal: SearchGoal, trial_seconds: float) -> SearchGoal:
        """Scale a named goal to the trial length, and set what the block sets otherwise."""
        own = scaled(goal, trial_seconds)
        return replace(
            own,
            initial_trial_seconds=self.initial_trial_seconds or own.initial_trial_seconds,
            duration_sum_seconds=self.duration_sum_seconds or own.duration_sum_seconds,
            exceed_ratio=own.exceed_ratio if self.exceed_ratio is None else self.exceed_ratio,
            width_ratio=self.width_ratio or own.width_ratio,
        )
