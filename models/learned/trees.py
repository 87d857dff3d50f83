"""Forests and boosted trees on log rates of all pairs. Outside what they saw, they repeat its edge.

Pairs are learned together, told apart by a feature each: how one datapath falls with accesses
says something of the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from linerate.models.learned.examples import (
    FEATURES,
    SEED,
    Examples,
    features_of,
    learned_limits,
    rate_examples,
)
from linerate.models.learned.knots import falling, knots_of
from linerate.models.runs.cells import Array, Cells, Codes, Pair
from linerate.models.runs.limits import Limits
from linerate.models.runs.parameters import Parameter
from linerate.models.runs.training import Training

FOREST_TREES = 100
BOOSTING_TREES = 200
BOOSTING_DEPTH = 5
BOOSTING_SHARE = 0.7
"""Share of the cells that each boosted tree sees."""
KEPT = 64
"""Learners that are kept after they were first used; the oldest is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Trees, by what they learned from: they grow when first asked."""

    examples: tuple[Examples, ...]
    seed: int = SEED
    """Seeds what the learner draws."""
    notes: tuple[str, ...] = ()

    name: ClassVar[str]
    grow: ClassVar[Callable[[tuple[Examples, ...], int], Any]]
    """Learn from examples; the same seed gives the same trees."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return tuple(own.pair for own in self.examples)

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Take the medians of the cells to learn from."""
        rng = np.random.default_rng(SEED)
        return cls(examples=rate_examples(training, rng))

    def refit(self, training: Training) -> Self:
        """Learn anew: there are no choices."""
        return self.fit(training)

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        moved = cells.of_pairs(self.pairs)
        log_mpps = np.empty(len(cells))
        grown = type(self).grow(self.examples, self.seed)
        for code, own in enumerate(self.examples):
            rows = moved.pair == code
            if rows.any():
                log_mpps[rows] = self._log_mpps(grown, own, moved.take(rows))
        return learned_limits(cells, log_mpps)

    def _log_mpps(self, grown: Any, own: Examples, cells: Cells) -> Array:  # noqa: ANN401
        knots = knots_of(cells, np.asarray(own.memory_accesses))
        described = _told_apart(features_of(knots.cells), knots.cells.pair, len(self.examples))
        predicted = falling(knots.table(grown.predict(described)))
        # Straight in the logarithm of accesses, the first of the features.
        return knots.between(predicted, knots.table(described[:, 0]), features_of(cells)[:, 0])

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None that could be read one by one."""
        return ()

    def __str__(self) -> str:
        return "\n".join(
            f"{own.pair}: log(Mpps) = {self.name}({', '.join(FEATURES)}, pair), learned from "
            f"{len(own)} cells, never rising with accesses, at most line rate"
            for own in self.examples
        )


@lru_cache(maxsize=KEPT)
def forest(examples: tuple[Examples, ...], seed: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
    """Grow a random forest.

    References
    ----------
    Breiman, Machine Learning 45 (2001).
    """
    from sklearn.ensemble import RandomForestRegressor  # slow to load

    learner = RandomForestRegressor(n_estimators=FOREST_TREES, random_state=seed)
    return learner.fit(*_lesson(examples))


@lru_cache(maxsize=KEPT)
def boosting(examples: tuple[Examples, ...], seed: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
    """Grow boosted trees, each on what those before it left over of a draw of the cells.

    References
    ----------
    Friedman, Ann. Statist. 29 (2001); Comput. Stat. Data Anal. 38 (2002).
    """
    from sklearn.ensemble import GradientBoostingRegressor  # slow to load

    # Not the variant by histograms: its threads wait for each other longer than they work here.
    learner = GradientBoostingRegressor(
        n_estimators=BOOSTING_TREES, max_depth=BOOSTING_DEPTH, subsample=BOOSTING_SHARE,
        random_state=seed,
    )  # fmt: skip
    return learner.fit(*_lesson(examples))


def _lesson(examples: tuple[Examples, ...]) -> tuple[Array, Array]:
    """Features and log rates of all pairs, shapes (n, 4 + pairs) and (n,)."""
    code = np.repeat(np.arange(len(examples)), [len(own) for own in examples])
    features = np.concatenate([own.features for own in examples])
    seen = np.concatenate([own.seen for own in examples])
    return _told_apart(features, code, len(examples)), seen


def _told_apart(features: Array, code: Codes, pairs: int) -> Array:
    """Add a feature for each pair: 1 in its own cells, 0 in the others'."""
    return np.column_stack([features, np.eye(pairs)[code]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest(Trees):
    """Mean of trees that each saw a draw of the cells."""

    name: ClassVar[str] = "forest"
    grow = staticmethod(forest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosting(Trees):
    """Sum of small trees, each grown on what those before it left over."""

    name: ClassVar[str] = "boosting"
    grow = staticmethod(boosting)
