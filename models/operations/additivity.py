"""Whether the operations of a mix cost together what they cost alone, and by how much not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linerate.models.operations.costs import Estimate, added_ns, drawn_medians, estimate_of
from linerate.models.runs.cells import Array

TOLERANCE_RATIO = 0.15
"""A mix whose measured cost is as near to the sum of its parts' as this is additive."""
Operations = tuple[tuple[str, int], ...]
"""Pairs (kind, times a packet), by kind."""


def operations_in(text: str) -> Operations | None:
    """Read the pairs (kind, times) of a row; None where they cannot be read.

    >>> operations_in('{"b": 2, "a": 1}'), operations_in("{}"), operations_in("no JSON")
    ((('a', 1), ('b', 2)), (), None)
    """
    try:
        asked = {kind: int(times) for kind, times in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        return None
    return tuple(sorted((kind, times) for kind, times in asked.items() if times > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class MixCost:
    """A mix beside its parts."""

    operations: Operations
    measured_ns: Estimate
    """Added to a packet by all together."""
    summed_ns: Estimate
    """Added by each alone, on straight lines between the counts measured, and summed."""
    error_ratio: Estimate
    """Measured over summed, less 1: positive where the mix is dearer."""
    modelled_error_ratio: float
    """The same with the interaction of its kinds, fitted without this mix; nan where it is the
    only mix of them."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is mixed."""
        return tuple(kind for kind, _ in self.operations)

    @property
    def additive(self) -> bool:
        """Whether the sum is near enough."""
        return abs(self.error_ratio.value) <= TOLERANCE_RATIO


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What kinds of operation cost together beside what each costs alone.

    Below zero they overlap: a core executes instructions of several at once where none needs what
    another finds. Above zero one waits for another, as a read does for a write of its own line.
    """

    kinds: tuple[str, ...]
    ns: Estimate
    """For each operation of the kind of which a packet has fewest."""
    mixes: int
    """Mixes that it was fitted on; one of them is explained whatever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Additivity:
    """Every mix that has its parts measured, and what they have beside their sum."""

    mixes: tuple[MixCost, ...]
    interactions: tuple[Interaction, ...]
    """Only of kinds of which some mix is not additive."""


def additivity_of(loads_ns: Mapping[Operations, Array], rng: np.random.Generator) -> Additivity:
    """Compare each mix with its parts.

    Parameters
    ----------
    loads_ns
        Service time of a packet, one of each program load, ns; by operations, () for none. All
        of one place: the same lcores, burst, frame and load.
    rng
        Draws program loads.

    Returns
    -------
    Nothing of mixes that have a part measured only at fewer operations, or not alone.
    """
    added = _added(loads_ns, rng)
    sums: dict[Operations, Array] = {
        mix: total for mix in sorted(added)
        if len(mix) > 1 and (total := _sum_of(mix, added)) is not None
    }  # fmt: skip
    groups: dict[tuple[str, ...], list[Operations]] = {}
    for mix in sums:
        groups.setdefault(tuple(kind for kind, _ in mix), []).append(mix)
    mixes, interactions = [], []
    for kinds, own in groups.items():
        beside = [added[mix] - sums[mix] for mix in own]
        fewest = np.array([min(times for _, times in mix) for mix in own], dtype=np.float64)
        found = [
            _mix_cost(mix, added[mix], sums[mix], _from_others(place, fewest, beside))
            for place, mix in enumerate(own)
        ]
        mixes += found
        if not all(mix.additive for mix in found):
            ns = estimate_of(_slope(fewest, np.stack(beside)))
            interactions.append(Interaction(kinds=kinds, ns=ns, mixes=len(own)))
    return Additivity(mixes=tuple(mixes), interactions=tuple(interactions))


def _added(
    loads_ns: Mapping[Operations, Array], rng: np.random.Generator
) -> dict[Operations, Array]:
    """Time that each adds over none, shape (draws,) with the measured medians first."""
    if () not in loads_ns:
        return {}
    none = drawn_medians(loads_ns[()], rng)
    return {
        tuple(sorted(operations)): drawn_medians(loads_ns[operations], rng) - none
        for operations in sorted(loads_ns) if operations
    }  # fmt: skip


def _sum_of(mix: Operations, added: Mapping[Operations, Array]) -> Array | None:
    parts = [_part(kind, times, added) for kind, times in mix]
    known = [part for part in parts if part is not None]
    return np.sum(known, axis=0) if len(known) == len(parts) else None


def _part(kind: str, times: int, added: Mapping[Operations, Array]) -> Array | None:
    alone = sorted(
        (operations[0][1], operations) for operations in added
        if len(operations) == 1 and operations[0][0] == kind
    )  # fmt: skip
    if not alone or alone[-1][0] < times:
        return None
    counts = [count for count, _ in alone]
    return added_ns(times, counts, np.stack([added[operations] for _, operations in alone]))


def _mix_cost(mix: Operations, measured: Array, summed: Array, interaction: float) -> MixCost:
    fewest = min(times for _, times in mix)
    modelled = float(summed[0]) + interaction * fewest
    return MixCost(
        operations=mix,
        measured_ns=estimate_of(measured),
        summed_ns=estimate_of(summed),
        error_ratio=estimate_of(measured / summed - 1.0),
        modelled_error_ratio=float(measured[0]) / modelled - 1.0,
    )


def _from_others(place: int, fewest: Array, beside: Sequence[Array]) -> float:
    """Interaction by the other mixes of the same kinds; nan without any."""
    others = [number for number in range(len(beside)) if number != place]
    if not others:
        return float("nan")
    return float(_slope(fewest[others], np.stack([beside[one] for one in others]))[0])


def _slope(fewest: Array, beside: Array) -> Array:
    """Least squares through the origin, shape (draws,)."""
    return np.asarray(fewest @ beside / (fewest @ fewest))
