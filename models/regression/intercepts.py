"""A random shift of each group, in time linear in the rows, with statsmodels' own results.

statsmodels solves for each group in Python, at each step of its search. With one shift for each
group all that it needs are sums over groups. Of m rows whose shift has psi times the variance of
the noise, ``V = I + psi 1 1'``, so that

    V^-1 a = a - 1 (1' a) / (m + 1 / psi)    and    log det V = log psi + log(m + 1 / psi).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams

from linerate.models.arrays import Array
from linerate.models.runs.cells import Codes

RATIO_MIN = 1e-10
"""Ratio of variances below which statsmodels takes slopes from within groups alone."""


class Intercepts(MixedLM):
    """statsmodels' mixed model of one shift for each group, by restricted likelihood.

    Its likelihood, slopes, scale and Hessian are statsmodels' own, summed over all groups at once;
    results, tables and search are as they were.

    References
    ----------
    Sherman and Morrison, Ann. Math. Stat. 21 (1950); Lindstrom and Bates, JASA 83 (1988), for the
    likelihood with slopes and scale profiled out.
    """

    # What checkers make of statsmodels' code is not what its manual says.
    endog: Any
    exog: Any
    use_sqrt: Any

    def __init__(self, endog: pd.Series, exog: pd.DataFrame, groups: Codes) -> None:
        """Sort the rows by group, once.

        Parameters
        ----------
        endog, exog
            What is explained, shape (n,), and by what, shape (n, k).
        groups
            Code of each row's group, shape (n,).
        """
        self._order = np.argsort(groups, kind="stable")
        _, self._begins, self._sizes = np.unique(
            groups[self._order], return_index=True, return_counts=True
        )
        super().__init__(endog, exog, groups=groups)
        self._products = self.exog.T @ np.column_stack([self.exog, self.endog])
        self._exog_sums, self._endog_sums = self._summed(self.exog), self._summed(self.endog)

    def _summed(self, values: Array) -> Array:
        """Sum rows over each group, shape (groups, ...)."""
        return np.asarray(np.add.reduceat(values[self._order], self._begins))

    def group_list(self, array: Array | None) -> list[Array] | None:
        """Split rows by group, as views."""
        return None if array is None else np.split(array[self._order], self._begins[1:])

    def get_fe_params(self, cov_re: Array, vcomp: Array, tol: float = RATIO_MIN
                      ) -> tuple[Array, bool]:  # fmt: skip
        """Solve for the slopes at a ratio of variances; whether that is as good as 0."""
        ratio = float(cov_re[0, 0])
        share = 1.0 / (self._sizes + (1.0 / ratio if ratio >= tol else 0.0))
        both = np.column_stack([self._exog_sums, self._endog_sums])
        whole = self._products - (self._exog_sums.T * share) @ both
        if ratio < tol:
            return np.linalg.pinv(whole[:, :-1]) @ whole[:, -1], True
        return np.linalg.solve(whole[:, :-1], whole[:, -1]), False

    def loglike(self, params: Array | MixedLMParams, profile_fe: bool = True) -> float:
        """Take the restricted log likelihood, the scale profiled out."""
        at: Any = self._at(params, has_slopes=False)
        slopes = self.get_fe_params(at.cov_re, at.vcomp)[0] if profile_fe else at.fe_params
        precision = _precision(at.cov_re)
        freedom = self.n_totobs - self.k_fe
        with np.errstate(divide="ignore"):
            spread = self.n_groups * np.log(at.cov_re[0, 0])
        spread += np.log(self._sizes + precision).sum()
        _, known = np.linalg.slogdet(self._weighed(precision))
        left = self._left(slopes, precision)
        scale = np.log(left) + np.log(2.0 * np.pi) - np.log(freedom) + 1.0
        return float(-0.5 * (spread + known + freedom * scale))

    def get_scale(self, fe_params: Array, cov_re: Array, vcomp: Array) -> float:
        """Estimate the variance of the noise."""
        freedom: int = self.n_totobs - self.k_fe
        return self._left(fe_params, _precision(cov_re)) / freedom

    def _at(self, params: Array | MixedLMParams, *, has_slopes: bool) -> MixedLMParams:
        """Take parameters out of what a search packed into an array; statsmodels gives no types."""
        packed: Any = params
        return packed if isinstance(params, MixedLMParams) else MixedLMParams.from_packed(
            packed, self.k_fe, self.k_re, self.use_sqrt, has_fe=has_slopes
        )  # fmt: skip

    def _weighed(self, precision: float) -> Array:
        """``X' V^-1 X``, shape (k, k)."""
        share = 1.0 / (self._sizes + precision)
        return np.asarray(self._products[:, :-1] - (self._exog_sums.T * share) @ self._exog_sums)

    def _left(self, slopes: Array, precision: float) -> float:
        """``r' V^-1 r`` of what slopes leave."""
        left = self.endog - self.exog @ slopes
        return float(left @ left - (self._summed(left) ** 2 / (self._sizes + precision)).sum())

    def hessian(self, params: Array | MixedLMParams) -> tuple[Array, bool]:
        """Curvature of the likelihood by slopes and the ratio of variances, and False."""
        at: Any = self._at(params, has_slopes=True)
        precision, freedom = _precision(at.cov_re), self.n_totobs - self.k_fe
        known, left = self._weighed(precision), self._left(at.fe_params, precision)
        # V^-1 1 is 1 times this: how much of a group's sum is not taken by its shift.
        rest = precision / (self._sizes + precision)
        sums, off = self._exog_sums, self._summed(self.endog - self.exog @ at.fe_params)
        first = np.linalg.solve(known, (sums.T * rest**2) @ sums)
        second = np.linalg.solve(known, (sums.T * 2.0 * self._sizes * rest**3) @ sums)
        slope, bend = (rest**2 * off**2).sum(), 2.0 * (self._sizes * rest**3 * off**2).sum()
        across = -freedom * ((rest**2 * off) @ sums) / left
        own = 0.5 * (self._sizes**2 * rest**2).sum()
        own -= 0.5 * freedom * (bend / left - slope**2 / left**2)
        own += 0.5 * (np.sum(first.T * first) - np.trace(second))
        return np.block([[-freedom * known / left, across[:, None]], [across, own]]), False


def _precision(cov_re: Array) -> float:
    """One over the ratio of variances; 0 where that is 0, as its pseudo-inverse is."""
    ratio = float(cov_re[0, 0])
    return 1.0 / ratio if ratio != 0.0 else 0.0
