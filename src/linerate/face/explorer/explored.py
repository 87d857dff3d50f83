"""What an explorer shows of one cell: its answer, and the curves around it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.errors import BadInputError
from linerate.models.answers.prediction import Prediction
from linerate.models.file.modelfile import ModelFile
from linerate.records import Predictions
from linerate.units import line_rate_mpps

Array = NDArray[Any]
ACCESSES = np.unique(np.append(0, np.geomspace(1, 100_000, 47).astype(int)))
"""Where the curve of capacity is drawn; accesses per packet."""
OFFERED_MPPS = np.geomspace(0.01, 100.0, 81)
"""Where the curve of latency is drawn."""
PACKET_NS = np.geomspace(10.0, 1e6, 61)
"""Where the roofline is drawn; time of a packet on one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One cell, and a load for it."""

    datapath: str
    program: str
    memory_accesses: int
    frame_bytes: float
    queues: int
    link_gbps: float
    offered_mpps: float

    def cells(self, **columns: Array) -> pd.DataFrame:
        """Table of this cell, with other values in these columns; without a load unless named."""
        given = {name: value for name, value in asdict(self).items() if name != "offered_mpps"}
        size = max((value.size for value in columns.values()), default=1)
        return pd.DataFrame({name: [value] * size for name, value in given.items()} | columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """Answer and curves of one cell."""

    prediction: Prediction
    memory_accesses: int
    curve: Predictions
    """Rates over ``ACCESSES``."""
    roofline_mpps: Array
    """Most that is forwarded over ``PACKET_NS``: the cores' rate, up to line rate."""
    packet_ns: float
    """Time of a packet on one core; what the model says of the cell without a link."""
    latency_us: Array | None
    """Mean over ``OFFERED_MPPS``; None where the model knows none."""
    offered_mpps: float
    """The load that is asked."""
    load_latency_us: float
    """Mean at the load that is asked; nan where none is known."""
    why_no_latency: str

    @property
    def verdict(self) -> str:
        """The answer as one sentence, and what to doubt about it."""
        one = self.prediction
        says = "Yes" if one.sustains_line_rate >= 0.5 else "No"
        latency = self.why_no_latency or f"mean latency at the load {self.load_latency_us:.3g} us"
        return f"{says}, line rate is {one.line_rate_mpps:.4g} Mpps: {one}\n{latency}"


def explore_cell(fitted: ModelFile, asked: Asked) -> Explored:
    """Ask a model everything that an explorer draws.

    Raises
    ------
    BadInputError
        The model does not know such a cell.
    """
    accesses = np.append(asked.memory_accesses, ACCESSES)
    cells = asked.cells(memory_accesses=accesses)
    rates = fitted.predict(cells)
    service_mpps = float(fitted.service_mpps(cells.head(1))[0])
    line_mpps = float(line_rate_mpps(asked.link_gbps, asked.frame_bytes))
    latency_us, load_us, why = _latency(fitted, asked)
    return Explored(
        prediction=Prediction(
            cell={str(name): value for name, value in cells.iloc[0].items()},
            line_rate_mpps=line_mpps, rates=rates.take(np.array([0])),
            boxes=fitted.provenance.boxes,
        ),
        memory_accesses=asked.memory_accesses, curve=rates.take(np.arange(1, accesses.size)),
        roofline_mpps=np.minimum(1e3 * asked.queues / PACKET_NS, line_mpps),
        packet_ns=1e3 * asked.queues / service_mpps,
        latency_us=latency_us, offered_mpps=asked.offered_mpps, load_latency_us=load_us,
        why_no_latency=why,
    )  # fmt: skip


def _latency(fitted: ModelFile, asked: Asked) -> tuple[Array | None, float, str]:
    """Mean over loads and at the load, us; or why there is none."""
    if fitted.latency is None:
        return None, np.nan, "No latency: the model was fitted without runs of the split mode."
    offered = np.append(asked.offered_mpps, OFFERED_MPPS)
    try:
        mean_us = fitted.latency.predict(asked.cells(offered_mpps=offered)).mean_us
    except BadInputError as error:
        return None, np.nan, f"No latency: {error}"
    return mean_us[1:], float(mean_us[0]), ""
