"""Whether new runs still fit a model's calibration, or the machine has become another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.line_rate import holds
from linerate.models.intervals.predictor import Predictor
from linerate.models.intervals.scores import COVERAGE
from linerate.models.operations.held_out import group_of
from linerate.models.operations.predictor import MixPredictor
from linerate.models.operations.rates import one_load
from linerate.models.operations.runs import MixRuns
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.runs.training import Training

LEVEL = 0.01
"""Chance of a false alarm that is accepted: one in a hundred tables."""
LOADS = 3
"""Loads from which on a work of operations is held against the interval of medians."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How new runs lie in the intervals of a model that has not seen them."""

    groups: int
    """(datapath, program, queues, accesses) groups, or works of operations with what shares their
    numbers, inside the training domain."""
    groups_left_out: int
    """Groups outside of it, where nothing is promised and no drift is judged."""
    groups_outside: int
    """Groups most of whose cells left their interval."""
    chance: float
    """Chance of so many or more, were the model still right."""
    median_ratio: float
    """Median of measured over predicted."""

    @property
    def alarm(self) -> bool:
        """Whether chance no longer explains it: measure again, and fit anew."""
        return self.chance < LEVEL

    @property
    def can_tell(self) -> bool:
        """Whether there are groups enough for an alarm, were all of them outside."""
        from scipy.special import bdtrc  # slow to load

        return bool(bdtrc(self.groups - 1, self.groups, 1.0 - COVERAGE) < LEVEL)

    def __str__(self) -> str:
        verdict = "the model still fits"
        if not self.can_tell:
            verdict = "too few groups to tell chance from change: measure at least 3"
        elif self.alarm:
            verdict = "the model no longer fits: fit anew"
        left = f"; {self.groups_left_out} more lie outside its domain" * bool(self.groups_left_out)
        return (
            f"{verdict}: {self.groups_outside} of {self.groups} groups outside their "
            f"{COVERAGE:.0%} interval (chance {self.chance:.2g}), measured / predicted "
            f"{self.median_ratio:.3f} (median){left}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldAgainst:
    """New cells inside the domain of a model beside what it says; arrays of shape (n,)."""

    outside: Mask
    """Whether each left its interval."""
    group: Codes
    """Cells that share random effects share a code."""
    ratio: Array
    """Measured over predicted rate."""
    groups_left_out: int
    runs: int
    """Runs that there were, left out or not."""


def drift_of(predictor: Predictor, training: Training) -> Drift:
    """Hold new runs of memory accesses against a model: ``drift_together`` of ``held_cells``."""
    return drift_together([held_cells(predictor, training)])


def drift_together(held: Sequence[HeldAgainst]) -> Drift:
    """Say how likely so many groups are outside while the models are right.

    Raises
    ------
    BadInputError
        No run inside the domain.
    """
    from scipy.special import bdtrc  # slow to load

    if not sum(len(part.group) for part in held):
        raise bad_input("runs", sum(part.runs for part in held),
                        why="none lies inside the model's training domain",
                        allowed="cells between those that were fitted on",
                        do="measure such cells, or fit with these runs")  # fmt: skip
    shares = [
        np.bincount(part.group, weights=part.outside) / np.bincount(part.group) for part in held
    ]
    share = np.concatenate(shares)
    count = int((share > 0.5).sum())
    return Drift(
        groups=share.size, groups_left_out=sum(part.groups_left_out for part in held),
        groups_outside=count, chance=float(bdtrc(count - 1, share.size, 1.0 - COVERAGE)),
        median_ratio=float(np.median(np.concatenate([part.ratio for part in held]))),
    )  # fmt: skip


def held_cells(predictor: Predictor, training: Training) -> HeldAgainst:
    """Hold new runs against a fitted model of memory accesses.

    A cell is held against the interval for as many loads as it has: of one load, or of a median.
    Cells of one group share random effects of its program loads and count as one; each is outside
    with a chance of at most one in ten while the model is right. Cells outside the training domain,
    where nothing is promised, do not count.

    Parameters
    ----------
    predictor
        A model with its intervals.
    training
        New runs, of the same machine, that it was not fitted on.

    Raises
    ------
    BadInputError
        A pair that the model does not know.
    """
    medians = training.medians()
    predicted = predictor.predict_cells(medians.cells)
    inside = predicted.in_domain
    mpps = medians.forwarded_mpps
    # A median of fewer loads than those that were scored may lie as far off as one of them.
    loads = np.unique(training.cell, return_counts=True)[1]
    many = loads >= predictor.conformal.loads
    lower = np.where(many, predicted.lower_median_mpps, predicted.lower_mpps)
    upper = np.where(many, predicted.upper_median_mpps, predicted.upper_mpps)
    outside = ~holds(lower, upper, mpps, medians.cells.line_mpps)
    _, group = np.unique(medians.group[inside], return_inverse=True)
    return HeldAgainst(
        outside=outside[inside], group=group, ratio=(mpps / predicted.predicted_mpps)[inside],
        groups_left_out=np.unique(medians.group).size - np.unique(group).size, runs=len(training),
    )  # fmt: skip


def held_works(mixes: MixPredictor, runs: MixRuns) -> HeldAgainst:
    """Hold new runs against fitted costs of operations, filters, pipelines and chains.

    A work that was measured before is held against its own time, any other against the interval
    for as many loads as it has. What shares its numbers (``group_of``) counts with it as one; works
    that the costs do not answer are left out.

    Parameters
    ----------
    mixes
        Costs with their intervals.
    runs
        New runs, of the same machine, that they were not fitted on.
    """
    works, times_ns = runs.medians()
    loads = np.bincount(runs.work)[np.unique(runs.work)]
    known = np.array([not mixes.model.unknown(work) and mixes.model.outside(work) == 0.0
                      for work in works], dtype=np.bool_)  # fmt: skip
    inside = [work for work, fine in zip(works, known, strict=True) if fine]
    measured = dict(zip(mixes.works, mixes.packet_ns, strict=True)) if mixes.load_reach else {}
    # A work that was measured is held against its own time, from which loads lie so far, a width
    # that n works tell to about 1 / sqrt(n) of it.
    of_load = mixes.load_reach * (1.0 + len(mixes.works) ** -0.5)
    predicted = np.array(
        [(measured[work], 0.0) if work in measured else mixes.time_of(work) for work in inside]
    ).reshape(-1, 2)
    ratio = predicted[:, 0] / times_ns[known]
    widths = np.where((loads[known] >= LOADS) & (predicted[:, 1] > 0.0), predicted[:, 1],
                      one_load(predicted[:, 1], of_load))  # fmt: skip
    number = {key: code for code, key in enumerate(dict.fromkeys(map(group_of, inside)))}
    return HeldAgainst(
        outside=np.abs(np.log(ratio)) > widths, ratio=ratio,
        group=np.array([number[group_of(work)] for work in inside], dtype=np.intp),
        groups_left_out=len({group_of(work) for work in works} - set(number)), runs=len(runs),
    )  # fmt: skip
