"""Four ways to draw a line through log rates; each returns statsmodels' own results.

``summary()`` of what they return prints the usual tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from linerate.models.regression.sample import Sample

WEIGHTS_APART_MAX = 100.0
"""No run weighs more than this many times the median one, or less than its inverse."""


def ols(sample: Sample) -> Any:  # noqa: ANN401 - statsmodels has no types
    """Fit by ordinary least squares: every run weighs the same."""
    import statsmodels.api as sm  # slow to load, and few commands fit

    return sm.OLS(sample.log_mpps, sample.terms).fit()


def wls(sample: Sample) -> Any:  # noqa: ANN401 - statsmodels has no types
    """Fit by least squares, runs weighed by the inverse of their variance.

    The variance is a log-linear function of the same terms, fitted to the squared residuals of
    ordinary least squares.

    References
    ----------
    Wooldridge, Introductory Econometrics (2016), ch. 8.4: feasible generalised least squares.
    """
    import statsmodels.api

    sm: Any = statsmodels.api  # what types it has forbid weights that are not one number
    squared = np.asarray(ols(sample).resid) ** 2
    if sample.freedom < 1 or not squared.any():
        return sm.WLS(sample.log_mpps, sample.terms).fit()
    floor = 1e-6 * squared.mean()
    spread = sm.OLS(np.log(squared + floor), sample.terms).fit().fittedvalues
    weights = np.exp(np.asarray(np.median(spread) - spread))
    bounded = np.clip(weights, 1.0 / WEIGHTS_APART_MAX, WEIGHTS_APART_MAX)
    return sm.WLS(sample.log_mpps, sample.terms, weights=bounded).fit()


def quantile(sample: Sample) -> Any:  # noqa: ANN401 - statsmodels has no types
    """Fit the median, which runs far off do not move.

    References
    ----------
    Koenker and Bassett, Econometrica 46 (1978).
    """
    import statsmodels.api as sm

    if sample.freedom < 1:
        return ols(sample)
    with silent():
        return sm.QuantReg(sample.log_mpps, sample.terms).fit(q=0.5)


def mixed(sample: Sample) -> Any:  # noqa: ANN401 - statsmodels has no types
    """Fit by restricted likelihood, with a random shift of each program load.

    Where no load has several runs its shift cannot be separated from noise, and where the
    likelihood has no maximum it has no estimate: then ordinary least squares.

    References
    ----------
    Laird and Ware, Biometrics 38 (1982); Lindstrom and Bates, JASA 83 (1988).
    """
    if sample.freedom < 1 or not sample.repeats_loads:
        return ols(sample)
    from linerate.models.regression.intercepts import Intercepts

    model = Intercepts(sample.log_mpps, sample.terms, sample.load)
    try:
        # One variance is searched for: without slopes, which stray to where matrices are singular.
        with silent():
            return model.fit(method="powell")
    except np.linalg.LinAlgError:
        return ols(sample)


BY_LAW: Mapping[str, Callable[[Sample], Any]] = {
    "log_ols": ols, "log_wls": wls, "log_quantile": quantile, "log_mixed": mixed,
}  # fmt: skip
"""The way of each law, by the law's name."""


@contextmanager
def silent() -> Iterator[None]:
    """Keep quiet what a law says in its notes: a search that stopped early, a variance of 0."""
    from statsmodels.tools.sm_exceptions import ModelWarning

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", ModelWarning)
        yield
