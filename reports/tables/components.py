"""Where the spread of rates comes from: runs of a load, loads of a cell, cells off the law."""

from __future__ import annotations

import numpy as np
import pandas as pd


def components(rows: pd.DataFrame) -> dict[str, float]:
    """Estimate three standard deviations of log rates by the method of moments.

    Parameters
    ----------
    rows
        Columns ``cell``, ``load`` (codes) and ``residual``, the log of measured over fitted rate.

    Returns
    -------
    ``run`` (within a program load; nan where no load of a cell has two runs), ``load`` (between
    the loads of a cell, the run's share taken off where it is known), and ``residual`` (what cells
    deviate from the law beyond what their few loads explain); nan where nothing tells.

    References
    ----------
    Searle, Casella, McCulloch, Variance Components (1992), chapter 3: ANOVA estimators; negative
    ones are 0.
    """
    loads = rows.groupby(["cell", "load"])["residual"].agg(["mean", "var", "size"])
    run = _pooled(loads["var"], loads["size"])
    means = loads["mean"].groupby(level="cell").agg(["mean", "var", "size"])
    between = _pooled(means["var"], means["size"])
    within = 0.0 if np.isnan(run) else run * float((1.0 / loads["size"]).mean())
    load = max(between - within, 0.0)
    cells = float(means["mean"].pow(2).mean()) if len(means) else np.nan
    noise = between * float((1.0 / means["size"]).mean())
    left = cells if np.isnan(noise) else max(cells - noise, 0.0)
    return {"run": run**0.5, "load": load**0.5, "residual": left**0.5}


def _pooled(variances: pd.Series, sizes: pd.Series) -> float:
    """Mean variance of groups, weighed by their degrees of freedom; nan where none has two."""
    several = sizes > 1
    if not several.any():
        return float("nan")
    freedom = sizes[several] - 1
    return float((variances[several] * freedom).sum() / freedom.sum())
