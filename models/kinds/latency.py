"""Latency and CPU below saturation, of runs in the split mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linerate.models.kinds.kind import Kind, Rates, knows_pairs
from linerate.models.latency.model import LatencyModel, fit_latency
from linerate.models.runs.cells import Mask, cells_of
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import by_rows
from linerate.models.validation.latency_rows import latency_folds, split_rows


def _knows(model: LatencyModel, cells: pd.DataFrame) -> Mask:
    return knows_pairs(model.pairs, cells)


def _answer(model: LatencyModel, cells: pd.DataFrame, _: Rates) -> Mapping[str, Any]:
    at_load = model.predict(cells)
    p50_us, p99_us = model.predict_quantiles_us(cells).T
    inside = None if model.domain is None else model.domain.contains(cells_of(cells, model.pairs))
    return {
        "cpu_busy_ratio": at_load.cpu_busy_ratio, "latency_mean_us": at_load.mean_us,
        "latency_lower_us": at_load.lower_us, "latency_upper_us": at_load.upper_us,
        "latency_p50_us": p50_us, "latency_p99_us": p99_us,
        "latency_stalls_watched": at_load.stalls_watched,
        "latency_capacity_mpps": at_load.capacity_mpps,
        "latency_in_domain": [True] * len(cells) if inside is None else inside,
    }  # fmt: skip


def _rows(runs: pd.DataFrame, how: HoldOut) -> pd.DataFrame:
    return split_rows(latency_folds(runs, how), how.by)


KIND = Kind(name="latency", model=LatencyModel, answers="latency", fit=fit_latency,
            knows=_knows, answer=_answer, needs_load=True, validate=by_rows(_rows))  # fmt: skip
