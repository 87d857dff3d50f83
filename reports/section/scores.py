"""How far off the models of a section are on runs that they had not seen, beside capacity's own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.fitting import SEED
from linerate.models.kinds import Kind, Scored, chain_times, operations, round_trips
from linerate.models.operations.validation import MixValidation
from linerate.models.validation.cpu import CpuValidation, validate_under_load
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import LatencyValidation, scored
from linerate.models.validation.latency_rows import latency_folds, split_rows
from linerate.models.validation.validation import FOLDS

UnderLoad = tuple[LatencyValidation | None, CpuValidation | None]


def under_load(runs: pd.DataFrame) -> UnderLoad:
    """Hold groups of load-latency runs out of latency and CPU."""
    how = _groups()
    try:
        folds = latency_folds(runs, how)
    except BadInputError:
        return None, None  # a fold leaves too little to fit
    rows = split_rows(folds, how.by)
    return scored(rows) if len(rows) else None, validate_under_load(folds)


def of_operations(runs: pd.DataFrame) -> MixValidation | None:
    """Hold works out of the costs of operations; None without runs that they are fitted on."""
    found = [one for one in _held_out(runs, operations.KIND) if isinstance(one, MixValidation)]
    return found[0] if found else None


def of_chains(runs: pd.DataFrame) -> LatencyValidation | None:
    """Hold lengths of chains out of round trips, and out of packets' times in overload."""
    parts = [one for kind in (round_trips.KIND, chain_times.KIND)
             for one in _held_out(runs, kind) if isinstance(one, LatencyValidation)]  # fmt: skip
    return LatencyValidation.joined(parts) if parts else None


def _held_out(runs: pd.DataFrame, kind: Kind) -> Iterator[Scored]:
    """Let a kind hold out what it will; nothing where it refuses the runs, as notes of fits say."""
    if kind.validate is None or runs.empty:
        return
    try:
        found = kind.validate(runs, _groups())
    except BadInputError:
        return
    if found is not None:
        yield found


def _groups() -> HoldOut:
    return HoldOut(by="group", folds=FOLDS, rng=np.random.default_rng(SEED))
