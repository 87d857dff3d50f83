"""Latency in full rings, of flooded runs; its interval is that of the rate, by every ring seen.

Where the rate of the program load was measured (``forwarded_mpps`` of the cell), only the rings
leave one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.kinds.kind import Kind, Rates, knows_pairs
from linerate.models.latency.overload import Overload, fit_overload, measured_mpps
from linerate.models.runs.cells import Mask, cells_of
from linerate.models.validation.latency import by_rows
from linerate.models.validation.latency_rows import overload_rows


def _knows(model: Overload, cells: pd.DataFrame) -> Mask:
    """Only cells whose cores cannot serve their load: the others have no full ring."""
    known = knows_pairs(model.pairs, cells)
    if known.any():
        known[known] = np.isfinite(model.predict(cells[known]))
    return known


def _answer(model: Overload, cells: pd.DataFrame, rates: Rates) -> Mapping[str, Any]:
    mean_us = model.predict(cells)
    inside = None if model.domain is None else model.domain.contains(cells_of(cells, model.pairs))
    packets = [ring.packets / model.ring_packets for ring in model.rings]
    waited_us, rate = mean_us - model.fixed_us, rates.predicted
    known = measured_mpps(cells) > 0.0
    faster = np.where(known, 1.0, rate.predicted_mpps / rate.upper_mpps)
    slower = np.where(known, 1.0, rate.predicted_mpps / rate.lower_mpps)
    shortest_us = waited_us * min(packets) * faster
    longest_us = waited_us * max(packets) * slower
    return {
        "latency_mean_us": mean_us,
        "latency_in_domain": [True] * len(cells) if inside is None else inside,
        "latency_lower_us": model.fixed_us + shortest_us,
        "latency_upper_us": model.fixed_us + longest_us,
    }


KIND = Kind(name="overload", model=Overload, answers="latency", fit=fit_overload, knows=_knows,
            answer=_answer, needs_load=True, validate=by_rows(overload_rows))  # fmt: skip
