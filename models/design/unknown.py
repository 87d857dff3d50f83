"""What is unknown of cells' log rates: a few features of each cell, whose weights are unknown.

A covariance of n cells by n cells would not fit where there are many. That of a smooth deviation
is a product of one Gaussian a factor, each of which a few powers of the factor give to all digits;
so it is the sum of the products of these that are not vanishingly small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linerate.models.capacity.error import log_slopes
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.prior import DEVIATION, LOAD_SPREAD
from linerate.models.one_thread import one_thread
from linerate.models.runs.cells import Array, Cells

CONSTANT = 0.5
"""Log spread of a constant before anything is measured; growth is known as well, absolutely."""
NEAR = (3.0, 1.0, 2.0)
"""Doublings of accesses, queues and frame size over which the deviation stays alike."""
CEILING_SURE = 0.3
"""Log spread of the servers' rate against its ceiling, for whether a cell measures them."""
LEFT_OUT = 1e-9
"""Share of a deviation's variance that a feature may have and be left out."""
POWERS = 20, 10
"""Powers that make up a Gaussian, over half a range of r lengths: these, r times these, and r^2."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Unknown:
    """What is unknown of n cells of one path, given what was measured."""

    features: Array
    """Of each cell, shape (n, k)."""
    weights: Array
    """Covariance of the features' weights, shape (k, k); that of the log rates follows."""
    variance: Array
    """Of each cell's log rate, shape (n,)."""
    shared: Array
    """Sum of the squared covariances of each cell with all, shape (n,)."""
    load_spread: float = LOAD_SPREAD
    """Log spread of the program loads of a cell."""

    @classmethod
    def after(
        cls, features: Array, seen: Array, runs: Array, load_spread: float = LOAD_SPREAD
    ) -> Unknown:
        """Say what runs leave unknown.

        Parameters
        ----------
        features
            Of each cell, shape (n, k): their weights are independent, of variance 1, before any
            run.
        seen
            Of each cell that was measured, shape (m, k).
        runs
            Of each of these, shape (m,).
        load_spread
            Log spread of the program loads of a cell.
        """
        with one_thread():  # more threads add up in another order: other last digits
            known = np.eye(features.shape[1]) + (seen.T * (runs / load_spread**2)) @ seen
            weights: Array = np.asarray(np.linalg.inv(known), dtype=np.float64)
            weighted = features @ weights
            shared = ((weighted @ (features.T @ features)) * weighted).sum(axis=1)
        return cls(
            features=features, weights=weights, load_spread=load_spread, shared=shared,
            variance=(weighted * features).sum(axis=1),
        )  # fmt: skip

    @cached_property
    def worth(self) -> Array:
        """By how much a run of each cell lowers the variances of all together, shape (n,)."""
        return np.asarray(self.shared / (self.variance + self.load_spread**2))

    def measured(self, row: int) -> Unknown:
        """Take in a run of a cell, of a program load of its own."""
        known = self.weights @ self.features[row]
        known /= np.sqrt(self.variance[row] + self.load_spread**2)
        less = self.features @ known
        with_all = self.features @ (self.weights @ (self.features.T @ less))
        shared = self.shared - 2.0 * less * with_all + (less @ less) * less**2
        return replace(
            self, weights=self.weights - np.outer(known, known),
            variance=np.maximum(self.variance - less**2, 0.0), shared=np.maximum(shared, 0.0),
        )  # fmt: skip


def unknown_of(path: PathCost, cells: Cells, measured: Cells, runs: Array) -> Unknown:
    """Say what is unknown of the cells of a path.

    Parameters
    ----------
    path
        Its costs, fitted or guessed.
    cells
        n cells of the path.
    measured
        Distinct cells of the path that were measured.
    runs
        Of each of these.
    """
    both = joined(measured, cells)
    all_features = _features(path, both)
    seen, features = np.split(all_features, [len(measured)])
    return Unknown.after(features, seen, runs)


def open_share(ceiling_mpps: Array, service_mpps: Array) -> Array:
    """Chance that the servers and not a ceiling limit each cell, 0 to 1, shape (n,)."""
    from scipy.special import ndtr  # slow to load

    return np.asarray(ndtr(np.log(ceiling_mpps / service_mpps) / CEILING_SURE))


def _features(path: PathCost, cells: Cells) -> Array:
    limits = path_limits((path,), cells)
    places = (np.log2(cells.memory_accesses + 1.0), np.log2(cells.queues),
              np.log2(cells.frame_bytes))  # fmt: skip
    by_factor = [_of_factor(at / near) for at, near in zip(places, NEAR, strict=True)]
    sizes = [(features**2).max(axis=0) for features in by_factor]
    size = sizes[0][:, None, None] * sizes[1][:, None] * sizes[2]
    smooth: Array | float = DEVIATION
    for features, chosen in zip(by_factor, np.nonzero(size > LEFT_OUT), strict=True):
        smooth = smooth * features[:, chosen]
    parts = np.hstack([CONSTANT * log_slopes(path, _endless(cells)), np.asarray(smooth)])
    parts *= open_share(limits.ceiling_mpps, limits.service_mpps)[:, None]
    return parts


def _of_factor(place: Array) -> Array:
    """Features of one factor, shape (n, k): their products add up to exp(-(x - y)^2 / 2).

    References
    ----------
    Cotter, Keshet and Srebro, Explicit Approximations of the Gaussian Kernel, arXiv:1109.4603
    (2011), eq. 5: x^i exp(-x^2 / 2) / sqrt(i!).
    """
    distinct, row = np.unique(place, return_inverse=True)
    centred = distinct - 0.5 * (distinct[0] + distinct[-1])
    half = float(centred[-1])
    powers = np.arange(1, int(half**2 + POWERS[1] * half + POWERS[0]))
    each = np.exp(-0.5 * centred**2)[:, None]
    grown = np.cumprod(np.hstack([each, centred[:, None] / np.sqrt(powers)]), axis=1)
    own, scale, _ = np.linalg.svd(grown, full_matrices=False)
    return np.asarray((own * scale)[row])


def _endless(cells: Cells) -> Cells:
    """Take the ceilings off, so that only the servers are left."""
    return replace(cells, link_gbps=np.full(len(cells), np.inf),
                   offered_mpps=np.full(len(cells), np.inf))  # fmt: skip


def joined(first: Cells, second: Cells) -> Cells:
    """Put cells one behind the other."""
    pairs = tuple(dict.fromkeys((*first.pairs, *second.pairs)))
    one, other = first.of_pairs(pairs), second.of_pairs(pairs)
    names = ("pair", "memory_accesses", "queues", "frame_bytes", "link_gbps", "offered_mpps")
    return Cells(pairs=pairs, **{
        name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names
    })  # fmt: skip
