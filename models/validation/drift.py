"""Whether new runs still fit a model's calibration, or the machine has become another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.line_rate import holds
from linerate.models.intervals.predictor import Predictor
from linerate.models.intervals.scores import COVERAGE
from linerate.models.runs.training import Training

LEVEL = 0.01
"""Chance of a false alarm that is accepted: one in a hundred tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How new runs lie in the intervals of a model that has not seen them."""

    groups: int
    """(datapath, program, queues, accesses) groups inside the training domain."""
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


def drift_of(predictor: Predictor, training: Training) -> Drift:
    """Hold new runs against a fitted model.

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
        No run inside the domain, or a pair that the model does not know.
    """
    from scipy.special import bdtrc  # slow to load

    medians = training.medians()
    predicted = predictor.predict_cells(medians.cells)
    inside = predicted.in_domain
    if not inside.any():
        raise bad_input("runs", len(training), why="none lies inside the model's training domain",
                        allowed="cells between those that were fitted on",
                        do="measure such cells, or fit with these runs")  # fmt: skip
    mpps = medians.forwarded_mpps
    # A median of fewer loads than those that were scored may lie as far off as one of them.
    loads = np.unique(training.cell, return_counts=True)[1]
    many = loads >= predictor.conformal.loads
    lower = np.where(many, predicted.lower_median_mpps, predicted.lower_mpps)
    upper = np.where(many, predicted.upper_median_mpps, predicted.upper_mpps)
    outside = ~holds(lower, upper, mpps, medians.cells.line_mpps)
    _, group = np.unique(medians.group[inside], return_inverse=True)
    share = np.bincount(group, weights=outside[inside]) / np.bincount(group)
    count = int((share > 0.5).sum())
    return Drift(
        groups=share.size,
        groups_left_out=np.unique(medians.group).size - share.size, groups_outside=count,
        chance=float(bdtrc(count - 1, share.size, 1.0 - COVERAGE)),
        median_ratio=float(np.median((mpps / predicted.predicted_mpps)[inside])),
    )  # fmt: skip
