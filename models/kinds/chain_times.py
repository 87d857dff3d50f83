"""What chains of service functions deliver when they are offered more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linerate.models.chains.times import (
    LENGTHS_MIN,
    ChainTimes,
    fit_chain_times,
    held_out_ns,
    loaded_chains,
)
from linerate.models.kinds.kind import Kind, Rates
from linerate.models.runs.cells import Mask
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import by_rows
from linerate.models.validation.latency_rows import ROWS

QUANTITY = "time of a packet in overload"


def _knows(model: ChainTimes, cells: pd.DataFrame) -> Mask:
    return model.knows(cells)


def _answer(model: ChainTimes, cells: pd.DataFrame, _: Rates) -> Mapping[str, Any]:
    return model.answer(cells)


def _rows(runs: pd.DataFrame, _: HoldOut) -> pd.DataFrame:
    """List times of packets, each length held out in turn, whatever is asked."""
    parts = []
    for kind, chain in loaded_chains(runs):
        if chain["chain_length"].nunique() < LENGTHS_MIN:
            continue
        cell = chain["chain_length"].astype(str) + "/" + chain["frame_bytes"].astype(str)
        parts.append(pd.DataFrame({
            "quantity": QUANTITY, "name": str(kind), "held_out": "chain_length",
            "cell": f"{kind}/" + cell, "measured_us": chain["packet_ns"] / 1e3,
            "predicted_us": held_out_ns(chain) / 1e3,
            "level_us": float(chain["packet_ns"].median()) / 1e3, "scale": 1.0,
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(ROWS))


KIND = Kind(name="chain_times", model=ChainTimes, answers="chain rate", fit=fit_chain_times,
            knows=_knows, answer=_answer, of="chains", validate=by_rows(_rows))  # fmt: skip
