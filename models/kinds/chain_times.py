"""What chains of service functions deliver when they are offered more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.chains.times import (
    LENGTHS_MIN,
    ChainTimes,
    fit_chain_times,
    held_out_ns,
    loaded_chains,
)
from linerate.models.kinds.kind import Kind, Rates
from linerate.models.latency.round_trips import ChainKind, own_work_ns
from linerate.models.runs.cells import Array, Mask
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import by_rows
from linerate.models.validation.latency_rows import ROWS

QUANTITY = "time of a packet in overload"
WORKED = f"{QUANTITY}, functions with work of their own"


def _knows(model: ChainTimes, cells: pd.DataFrame) -> Mask:
    return model.knows(cells)


def _answer(model: ChainTimes, cells: pd.DataFrame, _: Rates) -> Mapping[str, Any]:
    return model.answer(cells)


def _rows(runs: pd.DataFrame, _: HoldOut) -> pd.DataFrame:
    """List times of packets, each length held out in turn, whatever is asked.

    Chains whose functions do something themselves are predicted by all those whose
    functions do not.
    """
    parts = list(_worked_rows(runs))
    for kind, chain in loaded_chains(runs):
        if chain["chain_length"].nunique() < LENGTHS_MIN:
            continue
        parts.append(_table(QUANTITY, kind, "chain_length", chain, held_out_ns(kind, chain)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(ROWS))


def _worked_rows(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    times = fit_chain_times(runs)
    known = {time.kind: time for time in times.times} if times else {}
    for kind, chain in loaded_chains(runs, worked=True):
        if kind not in known:
            continue
        rows = zip(chain["chain_length"], chain["frame_bytes"], own_work_ns(chain), strict=True)
        answered_ns = np.array([known[kind].flooded_ns(size, [own_ns] * int(length))
                            for length, size, own_ns in rows])  # fmt: skip
        yield _table(WORKED, kind, "chain_work_ns", chain, answered_ns)


def _table(
    quantity: str, kind: ChainKind, held_out: str, chain: pd.DataFrame, answered_ns: Array
) -> pd.DataFrame:
    names = [name for name in ("chain_length", "frame_bytes", "chain_work_ns") if name in chain]
    cells = chain[names].astype(str).agg("/".join, axis=1)
    return pd.DataFrame({
        "quantity": quantity, "name": str(kind), "held_out": held_out, "cell": f"{kind}/" + cells,
        "measured_us": chain["packet_ns"] / 1e3, "predicted_us": answered_ns / 1e3,
        "level_us": float(chain["packet_ns"].median()) / 1e3, "scale": 1.0,
    })  # fmt: skip


KIND = Kind(name="chain_times", model=ChainTimes, answers="chain rate", fit=fit_chain_times,
            knows=_knows, answer=_answer, of="chains", validate=by_rows(_rows))  # fmt: skip
