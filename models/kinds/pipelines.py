"""Median latency of pipelines that are fed by rings or memif, below saturation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linerate.models.kinds.kind import Kind, Rates
from linerate.models.latency.pipelines import Pipelines, asked_of, fit_pipelines
from linerate.models.runs.cells import Mask
from linerate.models.validation.latency import by_rows
from linerate.models.validation.pipeline_rows import pipeline_rows


def _knows(model: Pipelines, cells: pd.DataFrame) -> Mask:
    return model.knows(cells)


def _answer(model: Pipelines, cells: pd.DataFrame, rates: Rates) -> Mapping[str, Any]:
    asked = asked_of(cells, cells["queues"].to_numpy(dtype=float) / rates.service_mpps)
    lower_us, upper_us = model.interval_us(asked)
    return {"latency_p50_us": model.p50_us(asked), "latency_p50_lower_us": lower_us,
            "latency_p50_upper_us": upper_us}  # fmt: skip


KIND = Kind(name="pipelines", model=Pipelines, answers="latency", fit=fit_pipelines,
            knows=_knows, answer=_answer, needs_load=True,
            validate=by_rows(pipeline_rows))  # fmt: skip
