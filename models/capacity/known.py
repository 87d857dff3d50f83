"""Fits that were made already: models, folds and figures ask for the same ones again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from hashlib import blake2b
from typing import TypeVar

from linerate.models.runs.training import Training

FITS_MAX = 24
"""Kept, without their runs; the oldest goes first."""
Fitted = TypeVar("Fitted")
_KNOWN: dict[bytes, object] = {}


def known(model: type[Fitted], training: Training, fit: Callable[[Training], Fitted]) -> Fitted:
    """Fit a model that depends on the training runs alone, or take what was fitted on such runs.

    Parameters
    ----------
    model
        Class of what is fitted.
    training
        Runs: the same arrays and notes are the same runs.
    fit
        Fits them; what it gives is frozen.
    """
    name = f"{model.__module__}.{model.__qualname__}".encode()
    key = blake2b(name + pickle.dumps(training, protocol=5), digest_size=16).digest()
    found = _KNOWN.get(key)
    if not isinstance(found, model):
        found = _KNOWN[key] = fit(training)
        while len(_KNOWN) > FITS_MAX:
            del _KNOWN[next(iter(_KNOWN))]
    return found
