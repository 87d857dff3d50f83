"""Whether two pipelines execute the same operations for a packet."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.measure.datapaths.swx.spec.following.paths import longest_path
from linerate.measure.datapaths.swx.spec.spec import Spec

GLUE = frozenset({"receive", "transmit", "move", "jump", "return", "validate", "invalidate",
                  "stalled"})  # fmt: skip
"""Kinds with which a compiler joins the others: it parses by jumps, computes in copies, and lays
fields beside each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A kind that one pipeline executes more often than the other."""

    kind: str
    left: int
    right: int

    @property
    def is_glue(self) -> bool:
        """Whether it lies only in how the operations are joined."""
        return self.kind in GLUE


def differences(left: Spec, right: Spec) -> tuple[Difference, ...]:
    """Compare the longest paths; by kind, empty where they execute the same.

    Two pipelines do the same work where what differs is glue; the glue costs time all the same,
    so it is not left out.
    """
    counts = [dict(longest_path(spec).operations) for spec in (left, right)]
    return tuple(
        Difference(kind=kind, left=counts[0].get(kind, 0), right=counts[1].get(kind, 0))
        for kind in sorted({*counts[0], *counts[1]})
        if counts[0].get(kind, 0) != counts[1].get(kind, 0)
    )
