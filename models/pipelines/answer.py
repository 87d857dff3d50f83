"""What is asked about a pipeline, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.line_rate import likely_sustained
from linerate.links import check_link
from linerate.models.operations.own import OWN_SCOPE
from linerate.models.operations.rates import PacketTimes
from linerate.models.pipelines.case import Cases, Prices, cases_of
from linerate.models.pipelines.ran import held_against
from linerate.models.runs.limit_names import limit_name
from linerate.programs.pipeline_paths import PipelineTraffic
from linerate.records import Predictions
from linerate.units import line_rate_mpps

LCORES_MAX = 64
"""Most that are tried where none are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineQuestion:
    """Where the pipeline is to run."""

    link_gbps: float
    lcores: int | None = None
    """Cores that run an instance each; None for the fewest that sustain line rate."""

    def __post_init__(self) -> None:
        check_link(self.link_gbps)
        if self.lcores is not None and not 1 <= self.lcores <= LCORES_MAX:
            raise bad_input("queues", self.lcores, why="no pipeline runs on so many lcores",
                            allowed=f"1..{LCORES_MAX}", do="correct it")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineAnswer:
    """What a pipeline sustains of one traffic."""

    frame_bytes: float
    """Mean size, with FCS."""
    link_gbps: float
    line_rate_mpps: float
    lcores: int
    """Those asked about; else the fewest that sustain line rate of the expected case."""
    cases: Cases
    rates: Predictions
    """Of these cases, in this order, on these lcores."""

    @property
    def sustains_line_rate(self) -> float:
        """Probability that the expected case sustains line rate, 0 to 1."""
        return float(self.rates.sustains_line_rate[1])

    @property
    def sustains(self) -> bool:
        """Whether it does, more likely than not."""
        return bool(likely_sustained(self.rates.sustains_line_rate)[1])

    @property
    def headroom_ns(self) -> float:
        """Time that each packet could still take at line rate; negative: what is too much."""
        return 1e3 * self.lcores / self.line_rate_mpps - self.cases[1].on(self.lcores)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        columns = self.rates.columns()
        return {
            "frame_bytes": self.frame_bytes, "link_gbps": self.link_gbps,
            "line_rate_mpps": self.line_rate_mpps, "lcores": self.lcores,
            "sustains": self.sustains, "headroom_ns": self.headroom_ns,
            "cases": [
                case.to_dict() | {name: column[place].item() for name, column in columns.items()}
                for place, case in enumerate(self.cases)
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        plural = "s" if self.lcores > 1 else ""
        sure = self.sustains_line_rate if self.sustains else 1.0 - self.sustains_line_rate
        word = "yes" if self.sustains else "no"
        lines = [
            f"{self.frame_bytes:.4g} B, {self.link_gbps:g} Gbit/s: {word}, with {self.lcores} "
            f"lcore{plural} ({sure:.0%} sure; line rate {self.line_rate_mpps:.4g} Mpps)"
        ]
        for place, case in enumerate(self.cases):
            found = self.rates.take(np.array([place]))
            ends = f"{found.lower_mpps[0]:.4g} to {found.upper_mpps[0]:.4g}"
            outside = "" if case.in_domain else "; outside what was measured"
            lines.append(
                f"  {case.name:8} {found.predicted_mpps[0]:.4g} Mpps ({ends}, 90 %), limited by "
                f"{limit_name(found.bottleneck[0])}: {case}{outside}"
            )
        return "\n".join(lines)


def answer_pipeline(
    source: str, traffic: PipelineTraffic, mixes: Prices, question: PipelineQuestion,
    scope: str = OWN_SCOPE,
) -> tuple[PipelineAnswer, str]:  # fmt: skip
    """Answer for one traffic, and say of which operations no cost is known."""
    cases, note = cases_of(source, traffic.paths, mixes, scope)
    cases = held_against(cases, traffic.ran_ns) if traffic.ran_ns else cases
    # Line rate of a mix of sizes is that of its mean frame on the wire.
    line_mpps = float(line_rate_mpps(question.link_gbps, traffic.frame_bytes))
    lcores = question.lcores or _fewest(cases, line_mpps)
    return PipelineAnswer(
        frame_bytes=traffic.frame_bytes, link_gbps=question.link_gbps, line_rate_mpps=line_mpps,
        lcores=lcores, cases=cases, rates=_rates(cases, lcores, line_mpps),
    ), note  # fmt: skip


def _fewest(cases: Cases, line_mpps: float) -> int:
    """Find the fewest lcores that sustain line rate of the expected case; else the most."""
    return next((
        lcores for lcores in range(1, LCORES_MAX)
        if likely_sustained(_rates(cases, lcores, line_mpps).sustains_line_rate)[1]
    ), LCORES_MAX)  # fmt: skip


def _rates(cases: Cases, lcores: int, line_mpps: float) -> Predictions:
    packets = PacketTimes(
        times_ns=np.array([case.on(lcores) for case in cases]),
        widths=np.array([case.width for case in cases]), load_reach=cases[0].load_reach,
        inside=np.array([case.inside_on(lcores) for case in cases]),
    )  # fmt: skip
    each = np.ones(len(cases))
    return packets.rates(lcores * each, line_mpps * each, np.inf * each)
