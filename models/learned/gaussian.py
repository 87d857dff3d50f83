"""A Gaussian process on log rates. Outside what it saw, it repeats its edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from linerate.models.capacity.known import known
from linerate.models.learned.examples import (
    FEATURES,
    SEED,
    Examples,
    features_of,
    learned_limits,
    rate_examples,
)
from linerate.models.learned.knots import falling, knots_of
from linerate.models.learned.smooth import Theta, search_theta, smooth, theta_parameters
from linerate.models.runs.cells import Array, Cells, Pair
from linerate.models.runs.limits import Limits
from linerate.models.runs.parameters import Parameter
from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianProcess:
    """A smooth function of each pair, by what it learned from and its length scales."""

    examples: tuple[Examples, ...]
    thetas: tuple[Theta, ...]
    """Of each pair: amplitude, length scales and noise."""
    notes: tuple[str, ...] = ()

    name: ClassVar[str] = "gp"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return tuple(own.pair for own in self.examples)

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Search length scales and noise, and learn; the same runs once in a process."""
        return known(cls, training, cls._fitted)

    @classmethod
    def _fitted(cls, training: Training) -> Self:
        examples = rate_examples(training, np.random.default_rng(SEED))
        rng = np.random.default_rng(SEED)
        thetas = tuple(search_theta(own, rng, centred=True) for own in examples)
        return cls(examples=examples, thetas=thetas)

    def refit(self, training: Training) -> Self:
        """Keep length scales and noise, learn anew."""
        examples = rate_examples(training, np.random.default_rng(SEED))
        thetas = dict(zip(self.pairs, self.thetas, strict=True))
        return type(self)(examples=examples, thetas=tuple(thetas[own.pair] for own in examples))

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        moved = cells.of_pairs(self.pairs)
        log_mpps = np.empty(len(cells))
        for code, (own, theta) in enumerate(zip(self.examples, self.thetas, strict=True)):
            rows = moved.pair == code
            if rows.any():
                log_mpps[rows] = _log_mpps(own, theta, moved.take(rows))
        return learned_limits(cells, log_mpps)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Length scales, pair by pair."""
        return theta_parameters(self.examples, self.thetas)

    def __str__(self) -> str:
        return "\n".join(
            f"{own.pair}: log(Mpps) = gp({', '.join(FEATURES)}), learned from {len(own)} cells, "
            "never rising with accesses, at most line rate"
            for own in self.examples
        )


def _log_mpps(own: Examples, theta: Theta, cells: Cells) -> Array:
    knots = knots_of(cells, np.asarray(own.memory_accesses))
    held = np.clip(features_of(knots.cells), own.features.min(axis=0), own.features.max(axis=0))
    predicted = falling(knots.table(smooth(own, theta, held, centred=True)))
    # Straight in the logarithm of accesses, the first of the features.
    accesses, at_knots = (features_of(places)[:, 0] for places in (cells, knots.cells))
    return knots.between(predicted, knots.table(at_knots), accesses)
