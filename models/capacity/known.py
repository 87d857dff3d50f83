"""Fits that were made already: models, folds and figures ask for the same ones again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

FITS_MAX = 64
"""Kept, without their runs; the oldest goes first. A choice among models asks for each on all runs
and on five folds."""
Fitted = TypeVar("Fitted")
_KNOWN: dict[tuple[str, bytes], object] = {}


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
    found = _KNOWN.get(_key(model, training))
    return found if isinstance(found, model) else remember(model, training, fit(training))


def remember(model: type[Fitted], training: Training, fitted: Fitted) -> Fitted:
    """Keep what was fitted on these runs, maybe by another process, and give it back."""
    _KNOWN[_key(model, training)] = fitted
    while len(_KNOWN) > FITS_MAX:
        del _KNOWN[next(iter(_KNOWN))]
    return fitted


def _key(model: type[object], training: Training) -> tuple[str, bytes]:
    return f"{model.__module__}.{model.__qualname__}", _digest(training)


def _digest(training: Training) -> bytes:
    """Name runs by all that they hold."""
    found = blake2b(digest_size=16)
    for record in (training, training.cells):
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, np.ndarray):
                found.update(f"{field.name} {value.dtype} {value.shape}".encode())
                found.update(np.ascontiguousarray(value).tobytes())
            elif value is not training.cells:
                found.update(f"{field.name} {value!r}".encode())
    return found.digest()
