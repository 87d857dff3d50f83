"""Ordinary least squares on log rates: the baseline that a model must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from linerate.models.cells import Array, Cells, Pair
from linerate.models.limits import SERVICE, Limits, ceilings
from linerate.models.training import AT_CEILING, Training

TERMS = ("1", "log(queues)", "log(accesses + 1)", "log(accesses + 1)^2", "log(frame_bytes)")
"""What the log rate of each pair is a linear function of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOls:
    """Log-linear law of each datapath and program, cut at line rate."""

    fitted_pairs: tuple[Pair, ...]
    slopes: tuple[tuple[float, ...], ...]
    """Of each pair, by each of ``TERMS``."""
    notes: tuple[str, ...] = ()

    name: ClassVar[str] = "log_ols"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return self.fitted_pairs

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Fit by least squares on the runs below line rate; all of them where none is."""
        pairs = _pairs(training)
        fits = [ols_results(training, pair) for pair in pairs]
        slopes = [dict(zip(fit.model.exog_names, fit.params, strict=True)) for fit in fits]
        return cls(fitted_pairs=pairs, slopes=tuple(
            tuple(float(known.get(term, 0.0)) for term in TERMS) for known in slopes
        ))  # fmt: skip

    def refit(self, training: Training) -> Self:
        """Fit anew: the form has no choices."""
        return self.fit(training)

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        moved = cells.of_pairs(self.pairs)
        log_mpps = np.empty(len(cells))
        for code, slopes in enumerate(self.slopes):
            rows = moved.pair == code
            log_mpps[rows] = _terms(moved.take(rows)) @ np.asarray(slopes)
        ceiling_mpps, ceiling = ceilings(cells)
        return Limits(
            service_mpps=np.exp(np.clip(log_mpps, -50.0, 50.0)), ceiling_mpps=ceiling_mpps,
            ceiling=ceiling,
            service=np.full(len(cells), SERVICE, dtype=np.int8),
        )  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(
            f"{pair}: log(Mpps) = " + " + ".join(
                f"{slope:.3g} {term}" for slope, term in zip(slopes, TERMS, strict=True)
            ) + ", at most line rate"
            for pair, slopes in zip(self.pairs, self.slopes, strict=True)
        )  # fmt: skip


def ols_results(training: Training, pair: Pair) -> Any:  # noqa: ANN401 - statsmodels has no types
    """Fit one pair and return statsmodels' own results; ``summary()`` tells the usual tables.

    Terms that the runs do not vary, or not apart from the terms before them, are left out.
    """
    import statsmodels.api as sm  # slow to load, and few commands fit

    own = training.take(training.cells.pair == training.cells.pairs.index(pair))
    below = own.forwarded_mpps < AT_CEILING * own.ceiling_mpps
    own = own.take(below) if below.any() else own
    terms = _terms(own.cells)
    kept: list[int] = []
    for column in range(len(TERMS)):
        if np.linalg.matrix_rank(terms[:, [*kept, column]]) > len(kept):
            kept.append(column)
    model = sm.OLS(np.log(own.forwarded_mpps), terms[:, kept])
    model.data.xnames = [TERMS[column] for column in kept]
    return model.fit()


def _pairs(training: Training) -> tuple[Pair, ...]:
    return tuple(training.cells.pairs[code] for code in np.unique(training.cells.pair))


def _terms(cells: Cells) -> Array:
    accesses = np.log1p(cells.memory_accesses)
    return np.column_stack(
        [np.ones(len(cells)), np.log(cells.queues), accesses, accesses**2,
         np.log(cells.frame_bytes)]
    )  # fmt: skip
