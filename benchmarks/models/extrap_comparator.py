"""Extra-P as a capacity model, so that it stands in one table with the others."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from linerate.line_rate import sustains
from linerate.models import Cells, Pair, Training
from linerate.models.runs.cells import Array
from linerate.models.runs.limits import SERVICE, Limits, ceilings

SCRIPT = Path(__file__).with_name("extrap_models.py")
JOB_SECONDS_MAX = 300
"""A job that takes longer has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraP:
    """Time that a core holds a packet, by Extra-P's normal form; cut at line rate.

    References
    ----------
    Calotoiu, Beckingsale, Earl et al., Fast multi-parameter performance modeling, CLUSTER (2016).
    """

    training: Training
    """Medians of the cells that it learns from."""

    notes: tuple[str, ...] = ()

    name: ClassVar[str] = "extra_p"
    python: ClassVar[str] = ""
    """Interpreter that has Extra-P."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return self.training.pairs_seen

    @property
    def parameters(self) -> tuple[()]:
        """None are read back from Extra-P."""
        return ()

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Keep the medians of the cells below their ceiling; all of a pair that has none there."""
        medians = training.medians()
        below = ~sustains(medians.forwarded_mpps, medians.ceiling_mpps)
        alone = ~np.isin(medians.cells.pair, np.unique(medians.cells.pair[below]))
        return cls(training=medians.take(below | alone))

    def refit(self, training: Training) -> Self:
        """Fit anew."""
        return self.fit(training)

    def limits(self, cells: Cells) -> Limits:
        """Ask Extra-P, in a process of its own."""
        moved = cells.of_pairs(self.training.cells.pairs)
        service_ns = np.empty(len(cells))
        codes = np.unique(moved.pair)
        jobs = [self._job(int(code), moved.take(moved.pair == code)) for code in codes]
        for code, answer in zip(codes, self._ask(jobs), strict=True):
            service_ns[moved.pair == code] = answer
        ceiling_mpps, ceiling = ceilings(cells)
        # A sum of terms with signs may pass below zero; no packet takes less than a nanosecond.
        return Limits(
            service_mpps=1e3 * cells.queues / np.maximum(service_ns, 1.0),
            ceiling_mpps=ceiling_mpps, service=np.full(len(cells), SERVICE, dtype=np.int8),
            ceiling=ceiling,
        )  # fmt: skip

    def _job(self, code: int, asked: Cells) -> dict[str, object]:
        own = self.training.take(self.training.cells.pair == code)
        known = _coordinates(own.cells)
        varied = [column for column in range(known.shape[1]) if np.ptp(known[:, column]) > 0.0]
        varied = varied or [0]
        service_ns = 1e3 * own.cells.queues / own.forwarded_mpps
        return {"coordinates": known[:, varied].tolist(), "values": service_ns.tolist(),
                "ask": _coordinates(asked)[:, varied].tolist()}  # fmt: skip

    def _ask(self, jobs: list[dict[str, object]]) -> list[list[float]]:
        done = subprocess.run(
            [self.python, str(SCRIPT)], input=json.dumps(jobs), capture_output=True, text=True,
            timeout=JOB_SECONDS_MAX, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)


def _coordinates(cells: Cells) -> Array:
    """Columns of accesses and one, queues, frame size: Extra-P's parameters are positive."""
    return np.column_stack([cells.memory_accesses + 1.0, cells.queues, cells.frame_bytes])
