"""Round trips of chains at rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linerate.models.kinds.kind import Kind, Rates
from linerate.models.latency.round_trips import RoundTrips, fit_round_trips
from linerate.models.runs.cells import Mask
from linerate.models.validation.latency import by_rows
from linerate.models.validation.latency_rows import chain_rows


def _knows(model: RoundTrips, cells: pd.DataFrame) -> Mask:
    return model.knows(cells)


def _answer(model: RoundTrips, cells: pd.DataFrame, _: Rates) -> Mapping[str, Any]:
    return model.answer(cells)


KIND = Kind(name="round_trips", model=RoundTrips, answers="round trip", fit=fit_round_trips,
            knows=_knows, answer=_answer, validate=by_rows(chain_rows))  # fmt: skip
