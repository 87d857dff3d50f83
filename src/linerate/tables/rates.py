"""The rate of a run that models learn and are compared with."""

from __future__ import annotations

import numpy as np
import pandas as pd


def with_own_cores(runs: pd.DataFrame) -> pd.DataFrame:
    """Take each rate as with the device's cores to itself, where that is known.

    Parameters
    ----------
    runs
        Runs; those of others than this machine's lab have no ``unshared_mpps``.

    Returns
    -------
    The same rows, ``forwarded_mpps`` taken from ``unshared_mpps`` where there is one.
    """
    changed = is_estimated(runs)
    if not changed.any():
        return runs
    rates = runs["unshared_mpps"].where(changed, runs["forwarded_mpps"])
    return runs.assign(forwarded_mpps=rates.astype(np.float64))


def is_estimated(runs: pd.DataFrame) -> pd.Series:
    """Whether each rate with the cores to itself is another than what was counted."""
    if "unshared_mpps" not in runs.columns:
        return pd.Series(False, index=runs.index)
    alone = runs["unshared_mpps"]
    return alone.notna() & (alone != runs["forwarded_mpps"])
