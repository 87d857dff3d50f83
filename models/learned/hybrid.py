"""Physics, times what a smooth function learns of its residuals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from linerate.line_rate import sustains
from linerate.models.capacity.known import known
from linerate.models.capacity.model import Capacity
from linerate.models.learned.examples import FEATURES, SEED, Examples, examples_of, features_of
from linerate.models.learned.knots import falling, knots_of
from linerate.models.learned.smooth import Theta, search_theta, smooth, theta_parameters
from linerate.models.runs.cells import Array, Cells, Pair
from linerate.models.runs.limits import Limits
from linerate.models.runs.parameters import Parameter
from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """The physical model, and a factor on its service rate that fades far from what was seen."""

    capacity: Capacity
    examples: tuple[Examples, ...]
    """Log of measured over physical rate, of cells below their ceiling."""
    thetas: tuple[Theta, ...]
    """Of each pair with examples: amplitude, length scales and noise."""

    name: ClassVar[str] = "hybrid"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return self.capacity.pairs

    @property
    def notes(self) -> tuple[str, ...]:
        """What the physical model could not identify."""
        return self.capacity.notes

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Fit the physical model, then learn what it leaves over; the same runs once in a process.

        Raises
        ------
        BadInputError
            Fewer cells of a pair than constants of its simplest form.
        """
        return known(cls, training, cls._fitted)

    @classmethod
    def _fitted(cls, training: Training) -> Self:
        capacity = Capacity.fit(training)
        examples = _residuals(capacity, training)
        rng = np.random.default_rng(SEED)
        thetas = tuple(search_theta(own, rng, centred=False) for own in examples)
        return cls(capacity=capacity, examples=examples, thetas=thetas)

    def refit(self, training: Training) -> Self:
        """Keep forms, length scales and noise; fit and learn anew."""
        capacity = self.capacity.refit(training)
        thetas = {own.pair: theta for own, theta in zip(self.examples, self.thetas, strict=True)}
        examples = tuple(own for own in _residuals(capacity, training) if own.pair in thetas)
        return replace(self, capacity=capacity, examples=examples,
                       thetas=tuple(thetas[own.pair] for own in examples))  # fmt: skip

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        physical = self.capacity.limits(cells)
        moved = cells.of_pairs(self.pairs)
        service_mpps = physical.service_mpps.copy()
        for own, theta in zip(self.examples, self.thetas, strict=True):
            rows = moved.pair == self.pairs.index(own.pair)
            if rows.any():
                factor = self._log_factor(own, theta, moved.take(rows), service_mpps[rows])
                service_mpps[rows] *= np.exp(factor)
        return replace(physical, service_mpps=service_mpps)

    def _log_factor(self, own: Examples, theta: Theta, cells: Cells, physical_mpps: Array) -> Array:
        knots = knots_of(cells, np.asarray(own.memory_accesses))
        physical = knots.table(np.log(self.capacity.limits(knots.cells).service_mpps))
        left_over = knots.table(smooth(own, theta, features_of(knots.cells), centred=False))
        # Straight in what physics says: where that falls, the product falls too.
        return knots.between(falling(physical + left_over) - physical, physical,
                             np.log(physical_mpps))  # fmt: skip

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Constants of the physical model, then length scales of what is left over."""
        return (*self.capacity.parameters, *theta_parameters(self.examples, self.thetas))

    def __str__(self) -> str:
        learned = "\n".join(
            f"{own.pair}: times exp(gp({', '.join(FEATURES)})), learned from the residuals of "
            f"{len(own)} cells"
            for own in self.examples
        )
        return f"{self.capacity}\n{learned}"


def _residuals(capacity: Capacity, training: Training) -> tuple[Examples, ...]:
    medians = training.medians()
    below = ~sustains(medians.forwarded_mpps, medians.ceiling_mpps)
    medians = medians.take(below)
    left_over = np.log(medians.forwarded_mpps / capacity.limits(medians.cells).service_mpps)
    return examples_of(medians, left_over, np.random.default_rng(SEED))
