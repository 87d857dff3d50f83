"""Error on base paths, numbers, mixes and settings that were held out, beside the noise of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from linerate.models.operations.held_out import SORTS, HeldOut, Sort, all_held_out, group_of
from linerate.models.operations.predictor import load_reach, predictor_of, reach
from linerate.models.operations.rates import one_load
from linerate.models.operations.runs import MixRuns
from linerate.models.runs.cells import Array, Mask
from linerate.models.validation.floor import floor_of_medians
from linerate.models.validation.spread import Spread, spread

WITHIN = 0.15
"""Error up to which a mix counts as predicted right."""


QUESTIONS: dict[Sort, str] = {
    "base": "base paths at other settings",
    "number": "other numbers of one kind",
    "mix": "kinds never measured together",
    "mix_number": "mixes in other numbers",
    "setting": "operations at other settings",
}
"""What is asked of each sort of work that is held out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixScores:
    """How far off predictions of held-out works of one sort were."""

    sort: Sort
    cells: int
    """Held out."""
    answered: int
    """Cells inside the measured range, that could be predicted."""
    error: Spread | None
    """Of these; None without any."""
    within_ratio: float
    """Share of these that are at most 15 % off; nan without any."""
    coverage: float
    """Share of the single loads of these inside the 90 % interval of one load."""
    half_width_percent: float
    """Mean half-width of this interval, % of the prediction."""
    median_coverage: float
    """Share of these whose median is inside the 90 % interval of medians."""
    median_half_width_percent: float
    """Mean half-width of this one, % of the prediction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A work that was predicted wrong, or not at all."""

    sort: Sort
    work: str
    error_percent: float
    """Of the predicted rate; nan where there was none."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MixValidation:
    """Scores by sort, and what is not within 15 %."""

    scores: tuple[MixScores, ...]
    noise_floor: Spread | None
    """What a perfect model would score on cells' medians; None where no cell has 2 loads."""
    missed: tuple[Missed, ...]
    asked: tuple[HeldOut, ...]
    """Each work with its prediction by the others."""

    @property
    def answered(self) -> tuple[HeldOut, ...]:
        """Each work inside the measured range once, with what shares its kinds held out too."""
        strict = [one for one in self.asked if one.sort != "mix_number"]
        return tuple(one for one in strict if not one.unknown and not one.outside)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON; of single works those that were missed."""
        floor = asdict(self.noise_floor) if self.noise_floor is not None else None
        return {"mixes": {"scores": [asdict(one) for one in self.scores], "noise_floor": floor,
                          "missed": [asdict(one) for one in self.missed]}}  # fmt: skip

    def lines(self) -> list[str]:
        """Say it in words, a line a question."""
        return [f"operations, {one.sort} held out: {one.answered} of {one.cells} cells inside the "
                f"measured range, {one.error or '-'} % off" for one in self.scores]  # fmt: skip


def validate_mixes(runs: MixRuns) -> MixValidation:
    """Hold out each group in turn: see ``held_out`` for what leaves together.

    The interval of a work is by the scores of the groups other than its own.

    References
    ----------
    Intervals by leaving out: Barber et al., Predictive inference with the jackknife+, Ann. Statist.
    49 (2021).
    """
    works, times_ns = runs.medians()
    asked = all_held_out(works, tuple(times_ns.tolist()))
    by_sort = [[one for one in asked if one.sort == sort] for sort in SORTS]
    return MixValidation(
        scores=tuple(_scores(own, asked, runs) for own in by_sort if own),
        noise_floor=floor_of_medians(runs.packet_ns, runs.work, np.zeros(len(runs.work))),
        missed=tuple(one for own in by_sort for one in _missed(own)),
        asked=asked,
    )  # fmt: skip


def _scores(own: Sequence[HeldOut], asked: Sequence[HeldOut], runs: MixRuns) -> MixScores:
    answered = [one for one in own if not one.unknown and not one.outside]
    error = np.array([np.exp(-one.score) - 1.0 for one in answered])
    widths = np.array([_reach(one, asked) for one in answered])
    inside = np.abs([one.score for one in answered]) <= widths
    of_load = one_load(widths, load_reach(runs))
    loads = [np.abs(np.log(one.predicted_ns / runs.times_ns(one.work))) <= width
             for one, width in zip(answered, of_load, strict=True)]  # fmt: skip
    return MixScores(
        sort=own[0].sort, cells=len(own), answered=len(answered),
        error=spread(error) if answered else None,
        within_ratio=_mean(np.abs(error) <= WITHIN),
        coverage=_mean(np.concatenate(loads)) if loads else float("nan"),
        half_width_percent=100.0 * _mean(np.sinh(of_load)), median_coverage=_mean(inside),
        median_half_width_percent=100.0 * _mean(np.sinh(widths)),
    )  # fmt: skip


def _mean(values: Array | Mask) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _reach(one: HeldOut, asked: Sequence[HeldOut]) -> float:
    """Log half-width by the scores of the other groups."""
    others = [other for other in asked if group_of(other.work) != group_of(one.work)]
    without = predictor_of((), np.array([]), others)
    return reach(without.scores_of(one.sort), one.predicted_ns, one.error_ns)


def _missed(own: Sequence[HeldOut]) -> list[Missed]:
    found = []
    for one in own:
        off = float(np.exp(-one.score) - 1.0)
        if one.unknown or abs(off) > WITHIN:
            beyond = f"beyond what was measured by {one.outside:.1f} doublings"
            why = one.unknown or (beyond if one.outside else "off")
            found.append(Missed(sort=one.sort, work=str(one.work), error_percent=100.0 * off,
                                why=why))  # fmt: skip
    return found
