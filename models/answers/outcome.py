"""A prediction beside what was measured afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from linerate.line_rate import holds, likely_sustained, sustains
from linerate.models.runs.limit_names import limit_name
from linerate.tables.rates import with_own_cores
from linerate.units import line_rate_mpps


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Prediction and measurement of one cell that the model had not seen."""

    cell: dict[str, Any]
    line_rate_mpps: float
    predicted_mpps: float
    lower_mpps: float
    """Lower end of the 90 % interval, of a median where several loads were measured."""
    upper_mpps: float
    sustains_line_rate: float
    """Predicted probability, 0 to 1."""
    bottleneck: str
    measured_mpps: float
    """Median of the program loads measured afterwards, with the device's cores to itself."""
    counted_mpps: float
    """Median of what came back; less where others used the cores, too."""
    measured_loads: int
    line_rate_sustained: bool
    """Whether the measurement did."""
    inside: bool
    """Whether the measurement lies in the 90 % interval."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        cell = self.cell
        predicted = _yes(bool(likely_sustained(self.sustains_line_rate)))
        sure = max(self.sustains_line_rate, 1.0 - self.sustains_line_rate)
        return (
            f"{cell['datapath']}, {cell['memory_accesses']} lookups, {cell['frame_bytes']} B, "
            f"{cell['queues']} queue(s): does it sustain {self.line_rate_mpps:.3f} Mpps?\n"
            f"  predicted: {predicted}, {sure:.0%} sure: "
            f"{self.predicted_mpps:.3f} Mpps ({self.lower_mpps:.3f} to {self.upper_mpps:.3f}, "
            f"90 %), limited by {limit_name(self.bottleneck)}\n"
            f"  measured:  {_yes(self.line_rate_sustained)}: {self.measured_mpps:.3f} Mpps "
            f"(median of {self.measured_loads} program loads{self._beside_others}), "
            f"{'inside' if self.inside else 'outside'} the interval"
        )

    @property
    def _beside_others(self) -> str:
        if self.counted_mpps == self.measured_mpps:
            return ""
        return f" with the cores to themselves; {self.counted_mpps:.3f} beside others"


def _yes(sustained: bool) -> str:
    return "yes" if sustained else "no"


def outcomes(
    predicted: pd.DataFrame, measured: pd.DataFrame, factors: Sequence[str]
) -> list[Outcome]:
    """Lay the median of each cell's program loads beside what was predicted of it.

    Parameters
    ----------
    predicted
        Cells with the columns that a prediction adds.
    measured
        Runs of these cells, and of others.
    factors
        Columns that tell cells apart.
    """
    rates = with_own_cores(measured).assign(counted=measured["forwarded_mpps"])
    seen = rates.groupby(list(factors)).agg(
        median=("forwarded_mpps", "median"), size=("forwarded_mpps", "size"),
        counted=("counted", "median"),
    )  # fmt: skip
    joined = predicted.merge(seen, left_on=list(factors), right_index=True)
    return [_outcome(row, factors) for row in joined.to_dict("records")]


def _outcome(row: dict[Any, Any], factors: Sequence[str]) -> Outcome:
    of = "median_mpps" if row["size"] > 1 else "mpps"
    lower_mpps, upper_mpps = row[f"lower_{of}"], row[f"upper_{of}"]
    line_mpps = float(line_rate_mpps(row["link_gbps"], row["frame_bytes"]))
    return Outcome(
        cell={name: row[name] for name in factors}, line_rate_mpps=line_mpps,
        predicted_mpps=row["predicted_mpps"], lower_mpps=lower_mpps,
        upper_mpps=upper_mpps, sustains_line_rate=row["sustains_line_rate"],
        bottleneck=row["bottleneck"], measured_mpps=row["median"], counted_mpps=row["counted"],
        measured_loads=row["size"],
        line_rate_sustained=bool(sustains(row["median"], line_mpps)),
        inside=bool(holds(lower_mpps, upper_mpps, row["median"], line_mpps)),
    )  # fmt: skip
