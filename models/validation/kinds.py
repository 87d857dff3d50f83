"""Every kind of model held out, each by its own ``validate``: rates, CPU, latency, one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.messages import note
from linerate.models.kinds import KINDS, Kind, Scored
from linerate.models.side_by_side import side_by_side
from linerate.models.validation.folds import HoldOut, Split
from linerate.models.validation.latency import LatencyValidation
from linerate.models.validation.validation import FOLDS


def validate_kinds(
    runs: pd.DataFrame, *, of: str, by: Split, rng: np.random.Generator,
    kinds: Sequence[Kind] = KINDS,
) -> tuple[Scored, ...]:  # fmt: skip
    """Hold runs out of every kind that predicts a quantity.

    Parameters
    ----------
    runs
        A table of runs, whole: each kind chooses its own.
    of
        The quantity: ``rate``, ``cpu``, ``latency``, or one of a kind's own.
    by
        What is held out.
    rng
        Deals groups to folds, each kind's alike.
    kinds
        What is held out.

    Returns
    -------
    Scores, one of each kind that has any; those of latency together, as one.

    Raises
    ------
    BadInputError
        A kind refuses the table, or nothing is left to fit.
    """
    asked = [kind.validate for kind in kinds if kind.validate is not None and kind.of == of]
    hold = HoldOut(by=by, folds=FOLDS, rng=rng)
    found = list(side_by_side(_held, [(validate, runs, hold) for validate in asked]))
    latencies = [one for one in found if isinstance(one, LatencyValidation)]
    others = [one for one in found if one is not None and not isinstance(one, LatencyValidation)]
    return (*others, *([LatencyValidation.joined(latencies)] if latencies else []))


def _held(
    validate: Callable[[pd.DataFrame, HoldOut], Scored | None], runs: pd.DataFrame, hold: HoldOut
) -> Scored | None:
    """Hold out with a generator of one's own, so that kinds know nothing of each other."""
    return validate(runs, replace(hold, rng=deepcopy(hold.rng)))


def validate_latency(
    runs: pd.DataFrame, *, by: Split, rng: np.random.Generator, kinds: Sequence[Kind] = KINDS
) -> LatencyValidation:
    """Predict latencies of runs held out, with constants of the others only.

    Raises
    ------
    BadInputError
        Nothing in the table has a latency that can be predicted, or nothing is left to fit.
    """
    for found in validate_kinds(runs, of="latency", by=by, rng=rng, kinds=kinds):
        if isinstance(found, LatencyValidation):
            return found
    raise no_latency(len(runs))


def no_latency(runs: int) -> BadInputError:
    """Build the refusal of so many runs of which none has a latency."""
    return bad_input("runs", runs, why=note("none has a latency that can be held out"),
                     allowed=note("runs of the split mode, flooded runs with latency_mean_us, or "
                                  "chains with rtt_p50_us"), do=note("measure it"))  # fmt: skip
