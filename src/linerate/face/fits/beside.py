"""Measured runs of users' own programs beside what `fits` predicted of them on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from linerate.cells import Cell
from linerate.errors import LinerateError
from linerate.face.fits.kept import Kept, Rates, RulesetAsked, kept_of, kept_of_ruleset
from linerate.line_rate import SUSTAINED_RATIO
from linerate.measure.campaign.campaign import CampaignFile
from linerate.measure.datapaths.filters.own.load import frames_of
from linerate.measure.datapaths.filters.own.settings import settings_of as rules_asked
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.datapaths.objects.settings import settings_of
from linerate.measure.datapaths.own import is_own
from linerate.measure.objects.lab import HOOKS
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.rulesets.source import is_ruleset, read_source
from linerate.models.runs.training import CAPACITY_MODE
from linerate.programs.times import VERDICTS
from linerate.records import planned_id
from linerate.tables.rates import with_own_cores
from linerate.units import line_rate_mpps

OBJECT_SUFFIX = ".o"
ENDED = "ended_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A cell that was measured, and what was predicted of it."""

    datapath: str
    program: str
    given: str
    """Path of its maps file, of rules that of their frames; empty without one."""
    frame_bytes: float
    queues: int
    line_rate_mpps: float
    median_mpps: float
    smallest_mpps: float
    largest_mpps: float
    """Over the runs that are not invalid, a load of the program each; with the device's cores to
    itself where that is known, as predictions are."""
    counted_mpps: float
    """Median as it was counted, beside whoever used these cores, too."""
    runs: int
    ends: tuple[tuple[str, float], ...]
    """Shares of packets by verdict, the most frequent first."""
    predicted: Rates | None
    """At most line rate; None where `fits` was not asked of this program with so many queues."""
    age_hours: float | None
    """Of the prediction."""

    @property
    def error(self) -> float | None:
        """Predicted over measured, less one; None where nothing was predicted."""
        return self.predicted.predicted_mpps / self.median_mpps - 1.0 if self.predicted else None

    @property
    def at_line_rate(self) -> bool:
        """Whether the link was full, as predicted: being right about that is no merit."""
        full = SUSTAINED_RATIO * self.line_rate_mpps
        expected = self.predicted.predicted_mpps if self.predicted else 0.0
        return min(self.median_mpps, expected) >= full

    @property
    def inside(self) -> bool | None:
        """Whether the median lies in the prediction's interval; None where there is none."""
        if self.predicted is None:
            return None
        lower, upper = self.predicted.lower_mpps, self.predicted.upper_mpps
        return self.at_line_rate or lower <= self.median_mpps <= upper

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "error": self.error, "inside": self.inside}


def beside_predictions(plan: CampaignFile, runs: pd.DataFrame) -> tuple[Beside, ...]:
    """Set what was measured beside what was predicted, cell by cell.

    Objects stand here in any case, rulesets where something was predicted of them.

    Parameters
    ----------
    plan
        The campaign, with its files where they were.
    runs
        What was measured, a row a run.
    """
    if runs.empty or "run_id" not in runs.columns:
        return ()
    of_cell = runs["run_id"].map(lambda run_id: planned_id(str(run_id)).partition("-r")[0])
    found = (
        _beside(cell, plan, runs[of_cell == f"c{index:04d}"])
        for index, cell in enumerate(plan.campaign.cells())
        if is_own(cell.program) and (_is_object(cell) or is_ruleset(cell.program))
    )
    return tuple(each for each in found if each is not None)


def _beside(cell: Cell, plan: CampaignFile, runs: pd.DataFrame) -> Beside | None:
    counted = runs[(runs["verdict"] != "invalid") & (runs["forwarded_mpps"] > 0.0)]
    if counted.empty:
        return None
    rates = with_own_cores(counted)["forwarded_mpps"].to_numpy(dtype=np.float64)
    kept = _kept(cell, plan)
    if kept is None and is_ruleset(cell.program):  # a campaign may have hundreds
        return None
    first = counted.iloc[0]
    line_mpps = float(line_rate_mpps(cell.link_gbps, float(first["frame_bytes"])))
    predicted = kept.rates.get(cell.queues) if kept else None
    return Beside(
        datapath=cell.datapath, program=cell.program, given=_given(cell),
        frame_bytes=float(first["frame_bytes"]), queues=cell.queues,
        line_rate_mpps=line_mpps, median_mpps=float(np.median(rates)),
        smallest_mpps=float(rates.min()), largest_mpps=float(rates.max()), runs=len(rates),
        counted_mpps=float(counted["forwarded_mpps"].median()),
        ends=tuple(_ends(counted)), age_hours=kept.age_hours if kept and predicted else None,
        predicted=Rates(**{
            name: min(rate, line_mpps, cell.load.offered_mpps)
            for name, rate in asdict(predicted).items()
        }) if predicted else None,
    )  # fmt: skip


def _is_object(cell: Cell) -> bool:
    return cell.program.endswith(OBJECT_SUFFIX) and cell.datapath in HOOKS


def _given(cell: Cell) -> str:
    return settings_of(cell).maps if _is_object(cell) else rules_asked(cell).traffic


def _kept(cell: Cell, plan: CampaignFile) -> Kept | None:
    """Find the prediction for a cell; none of a mode in which generator and device do not share."""
    try:
        if _is_object(cell):
            return _kept_of_object(cell, plan)
        return _kept_of_ruleset(cell, plan) if cell.mode == CAPACITY_MODE else None
    except LinerateError:  # its files are gone or changed since it was measured
        return None


def _kept_of_ruleset(cell: Cell, plan: CampaignFile) -> Kept | None:
    asked = rules_asked(cell)
    replayed = read_frames(plan.folder / asked.traffic) if asked.traffic else None
    return kept_of_ruleset(RulesetAsked(
        source=read_source(plan.folder / cell.program), hook=asked.hook,
        established=asked.established, frames=replayed or frames_of(cell.load),
        replayed=replayed is not None,
    ))  # fmt: skip


def _kept_of_object(cell: Cell, plan: CampaignFile) -> Kept | None:
    inputs = read_inputs(cell, plan.folder)
    if inputs.frames is None:
        return None
    tested = UnderTest(path=inputs.path, entry=inputs.entry, settings=inputs.settings,
                       datapath=cell.datapath)  # fmt: skip
    return kept_of(tested, inputs.frames)


def _ends(runs: pd.DataFrame) -> Iterator[tuple[str, float]]:
    packets = {name: float(runs[f"{ENDED}{name}"].sum()) for name in VERDICTS
               if f"{ENDED}{name}" in runs.columns}  # fmt: skip
    total = sum(packets.values())
    for name, count in sorted(packets.items(), key=lambda each: -each[1]):
        if count:
            yield name, count / total
