"""Every kind of model that a model file holds beside capacity; a new one is added here."""

from __future__ import annotations

from linerate.models.kinds import (
    chain_times,
    cpu,
    latency,
    operations,
    overload,
    pipelines,
    round_trips,
)
from linerate.models.kinds.kind import Kind, Rates, Scored

KINDS: tuple[Kind, ...] = (
    operations.KIND, cpu.SAMPLED, cpu.UTILISATION, latency.KIND, pipelines.KIND, overload.KIND,
    round_trips.KIND, chain_times.KIND,
)  # fmt: skip
"""In the order that they are fitted, asked and held out; a later answer of one name counts."""

__all__ = ["KINDS", "Kind", "Rates", "Scored"]
