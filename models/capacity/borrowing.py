"""A fit that begins from other boxes: its constants, and what of them is still borrowed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linerate.errors import bad_input
from linerate.messages import note
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.prior import LOAD_SPREAD, LOGARITHMIC
from linerate.models.capacity.transfer import Prior
from linerate.models.runs.cells import Array, Cells, Pair
from linerate.normal import NORMAL_90

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

LOAD_WORTH = 4.0
"""Loads that what is assumed of their spread counts as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Borrowed:
    """What one path still owes to other boxes."""

    pair: Pair
    covariance: tuple[tuple[float, ...], ...]
    """Of its constants, in the form's order, given the runs: of logarithms of those that are
    positive, of the others themselves."""
    shares: dict[str, float]
    """Of each constant that other boxes have, the share of its variance there that the runs
    have left, 0 to 1: 1 where they tell nothing."""

    @property
    def share(self) -> float:
        """Of the constant that is borrowed most."""
        return max(self.shares.values(), default=0.0)

    def log_spread(self, path: PathCost, cells: Cells) -> Array:
        """Say how far its constants leave the log rates of cells open, shape (n,)."""
        from linerate.models.capacity.error import log_slopes  # slow to load, and few borrow

        slopes = log_slopes(path, cells)
        return np.asarray(np.sqrt(((slopes @ np.array(self.covariance)) * slopes).sum(axis=1)))


def borrowed_of(path: PathCost, prior: Prior, training: Training | None) -> Borrowed:
    """Say what the runs leave open of a path's constants, and how much of that others gave.

    A run weighs as much as its share of its program load, whose runs share a random effect. The
    posterior is normal around the fit, in the logarithm of what is positive.

    Parameters
    ----------
    path
        Fitted with the prior.
    prior
        What other boxes lead to expect.
    training
        Runs of the path; None where there are none.

    References
    ----------
    Normal approximation to a posterior: Gelman et al., Bayesian Data Analysis (3rd ed., 2013),
    sec. 4.1.
    """
    from linerate.models.capacity.fit import assumptions, slots_of  # slow to load

    slots = slots_of(path, prior)
    distances, _ = assumptions(slots)
    # Every constant is known within four orders of magnitude.
    known = distances.T @ distances + np.eye(len(slots)) / 10.0**2
    before = np.diag(np.linalg.inv(known))
    if training is not None:
        known = known + _shown(path, training)
    covariance = np.linalg.inv(known)
    shares = {
        slot.name: float(min(after / most, 1.0))
        for slot, after, most in zip(slots, np.diag(covariance), before, strict=True)
        if slot.borrowed is not None
    }
    rows = tuple(tuple(map(float, row)) for row in covariance)
    return Borrowed(pair=path.pair, covariance=rows, shares=shares)


def _shown(path: PathCost, training: Training) -> Array:
    """Precision of the constants by the runs of a path, shape (constants, constants)."""
    from linerate.models.capacity.error import log_slopes

    cells = training.cells.of_pairs([path.pair])
    slopes = log_slopes(path, cells)
    _, load, runs = np.unique(training.load, return_inverse=True, return_counts=True)
    weight = 1.0 / runs[load]
    limits = path.service_mpps(cells)[0]
    left = np.log(np.minimum(limits, training.ceiling_mpps) / training.forwarded_mpps)
    squares = LOAD_WORTH * LOAD_SPREAD**2 + float((weight * left**2).sum())
    return np.asarray((slopes.T * weight) @ slopes * (LOAD_WORTH + runs.size) / squares)


def with_posterior(path: PathCost, borrowed: Borrowed) -> PathCost:
    """Add the 90 % intervals of constants that runs and other boxes give together."""
    spread = np.sqrt(np.diag(np.array(borrowed.covariance)))
    intervals = {}
    for (name, value), reach in zip(path.values().items(), NORMAL_90 * spread, strict=True):
        if name in LOGARITHMIC:
            intervals[name] = value * float(np.exp(-reach)), value * float(np.exp(reach))
        else:
            intervals[name] = max(value - float(reach), 0.0), value + float(reach)
    return replace(path, intervals=intervals)


def notes_on(borrowed: Borrowed, prior: Prior) -> str:
    """Say how much of a path's constants is borrowed, and from where."""
    shares = ", ".join(f"{name} {share:.0%}" for name, share in borrowed.shares.items())
    return note(
        "{path}: borrowed from {boxes}: {shares} (share of the uncertainty there that these runs "
        "leave)", path=str(borrowed.pair), boxes=", ".join(prior.boxes), shares=shares,
    )  # fmt: skip


def refuse_strange(prior: Prior, pairs: Collection[Pair]) -> None:
    """Refuse a prior that has none of these datapaths and programs.

    Raises
    ------
    BadInputError
        With what both have.
    """
    if not set(prior.pairs) & set(pairs):
        raise bad_input(
            "prior", ", ".join(map(str, prior.pairs)), why="these runs are of "
            f"{', '.join(map(str, pairs))}: what one datapath and program costs tells nothing of "
            "another", allowed="a box or model with one of these",
            do="name another, or leave it out",
        )  # fmt: skip
