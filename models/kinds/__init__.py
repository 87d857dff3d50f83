"""Every kind of model that a model file holds beside capacity; a new one is added here."""

from __future__ import annotations

from linerate.models.kinds import latency, operations, overload, round_trips
from linerate.models.kinds.kind import Kind

KINDS: tuple[Kind, ...] = (operations.KIND, latency.KIND, overload.KIND, round_trips.KIND)
"""In the order that they are fitted, asked and held out."""

__all__ = ["KINDS", "Kind"]
