"""Log-linear laws: the rate of each datapath and program as a product of powers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from linerate.messages import note
from linerate.models.regression import estimators
from linerate.models.regression.sample import TERMS, sample_of, terms_of
from linerate.models.runs.cells import Cells, Pair
from linerate.models.runs.limits import SERVICE, Limits, ceilings
from linerate.models.runs.parameters import LEVEL, UNKNOWN, Interval, Parameter
from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLinear:
    """Log rate of each pair as a linear function of ``TERMS``, cut at line rate."""

    fitted_pairs: tuple[Pair, ...]
    slopes: tuple[tuple[float, ...], ...]
    """Of each pair, by each of ``TERMS``; 0 of a term that was left out."""
    intervals: tuple[tuple[Interval, ...], ...] = ()
    """90 % interval of each slope."""
    notes: tuple[str, ...] = ()

    name: ClassVar[str]
    """Of ``estimators.BY_LAW``, which draws the line."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return self.fitted_pairs

    @classmethod
    def results(cls, training: Training, pair: Pair) -> Any:  # noqa: ANN401 - no types
        """Fit one pair and return statsmodels' own results, ``summary()`` among them."""
        return estimators.BY_LAW[cls.name](sample_of(training, pair))

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Fit each pair on its runs below line rate; on all of them where none is."""
        pairs = training.pairs_seen
        fits = [cls.results(training, pair) for pair in pairs]
        return cls(
            fitted_pairs=pairs, slopes=tuple(map(_slopes, fits)),
            intervals=tuple(map(_intervals, fits)),
            notes=tuple(
                note("{path}: {what}", path=str(pair), what=remark)
                for pair, fit in zip(pairs, fits, strict=True)
                for remark in cls.remarks(fit)
            ),
        )  # fmt: skip

    @staticmethod
    def remarks(results: Any) -> tuple[str, ...]:  # noqa: ANN401 - statsmodels has no types
        """Say what the runs could not tell."""
        return ()

    def refit(self, training: Training) -> Self:
        """Fit anew: the form has no choices."""
        return self.fit(training)

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        moved = cells.of_pairs(self.pairs)
        slopes = np.asarray(self.slopes)[moved.pair]
        log_mpps = np.sum(terms_of(moved) * slopes, axis=1)
        ceiling_mpps, ceiling = ceilings(cells)
        return Limits(
            service_mpps=np.exp(np.clip(log_mpps, -50.0, 50.0)), ceiling_mpps=ceiling_mpps,
            ceiling=ceiling,
            service=np.full(len(cells), SERVICE, dtype=np.int8),
        )  # fmt: skip

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Slopes with their intervals, pair by pair."""
        return tuple(
            Parameter(name=f"{pair}: {term}", value=slope, lower=low, upper=high)
            for pair, slopes, intervals in zip(
                self.pairs, self.slopes, self.intervals or [(UNKNOWN,) * len(TERMS)] * len(
                    self.pairs), strict=True)
            for term, slope, (low, high) in zip(TERMS, slopes, intervals, strict=True)
        )  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(
            f"{pair}: log(Mpps) = " + " + ".join(
                f"{slope:.3g} {term}" for slope, term in zip(slopes, TERMS, strict=True)
            ) + ", at most line rate"
            for pair, slopes in zip(self.pairs, self.slopes, strict=True)
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOls(LogLinear):
    """By ordinary least squares."""

    name: ClassVar[str] = "log_ols"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWls(LogLinear):
    """By least squares, noisy runs weighing less."""

    name: ClassVar[str] = "log_wls"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuantile(LogLinear):
    """Of the median rate."""

    name: ClassVar[str] = "log_quantile"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMixed(LogLinear):
    """With a random shift of each program load, which no cell to be predicted has yet."""

    name: ClassVar[str] = "log_mixed"

    @staticmethod
    def remarks(results: Any) -> tuple[str, ...]:  # noqa: ANN401 - statsmodels has no types
        """Say where the random effect of program loads could not be estimated."""
        if not hasattr(results, "cov_re"):
            return (
                note(
                    "random effects of program loads cannot be separated from noise: least squares"
                ),
            )
        if not results.converged:
            return (note("the likelihood of random effects of program loads has no maximum"),)
        return ()


def summaries(model: type[LogLinear], training: Training) -> tuple[str, ...]:
    """Print statsmodels' tables of each pair."""
    with estimators.silent():  # of diagnostics that few runs leave without a number
        return tuple(
            f"{pair}\n{model.results(training, pair).summary()}" for pair in training.pairs_seen
        )


def _slopes(results: Any) -> tuple[float, ...]:  # noqa: ANN401 - statsmodels has no types
    return tuple(float(results.params.get(term, 0.0)) for term in TERMS)


def _intervals(results: Any) -> tuple[Interval, ...]:  # noqa: ANN401 - statsmodels has no types
    runs, terms = results.model.exog.shape
    if runs <= terms:
        return (UNKNOWN,) * len(TERMS)
    with np.errstate(all="ignore"):
        ends = results.conf_int(1.0 - LEVEL)
    return tuple(_known(ends.loc[term]) if term in ends.index else (0.0, 0.0) for term in TERMS)


def _known(ends: Any) -> Interval:  # noqa: ANN401 - a row of statsmodels' table
    low, high = map(float, ends)
    return (low, high) if np.isfinite([low, high]).all() else UNKNOWN
