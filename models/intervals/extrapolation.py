"""How much wider an interval has to be outside of what was fitted: learnt from ends held out.

A law that holds between the measured values of a factor may hold beyond them, and no theorem says
so. What a table can tell is how far off the model is at its own last value when it has seen the
others only: each doubling outside widens an interval by as much as was needed there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linerate.errors import BadInputError
from linerate.models.intervals.domain import Domain, domain_of
from linerate.models.runs.cells import FACTORS, Array, Cells, Mask, Pair
from linerate.models.runs.limits import CapacityModel, Limits

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

LEVEL = 0.9
"""Share of the held-out cells that the widened interval has to hold."""
ENDS = {"memory_accesses": np.max, "queues": np.max, "frame_bytes": np.min}
"""The end of each factor that is held out: where servers, not the line, limit a cell."""
VALUES_MIN = {"memory_accesses": 3, "queues": 3, "frame_bytes": 2}
"""Distinct values below which none is held out: a slope needs two; most sizes cost alike."""
CELLS_MIN = 10
"""Held-out cells of a pair below which it has no widening of its own."""
WIDENING = 2.0
"""Share by which a half-width grows with each doubling outside, where the runs do not show it."""
LEAST, MOST = 0.25, 20.0
"""Bounds of what is learnt: one end predicted well by chance is not evidence for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Widening:
    """Share by which a half-width grows with each doubling outside, factor by factor."""

    pair: Pair | None
    """None for pairs that have no widening of their own."""
    memory_accesses: float = WIDENING
    queues: float = WIDENING
    frame_bytes: float = WIDENING
    link_gbps: float = WIDENING


UNKNOWN = Widening(pair=None)
"""What holds where the runs do not show it."""


def wider_ratio(widenings: tuple[Widening, ...], domain: Domain, cells: Cells) -> Array:
    """Factor of each cell's half-width, 1 inside the domain, shape (n,).

    Parameters
    ----------
    widenings
        Of each pair; the last holds for all others.
    domain
        Where the model was fitted.
    cells
        n cells.
    """
    of_pair = {known.pair: known for known in widenings}
    own = [of_pair.get(pair, widenings[-1]) for pair in cells.pairs]
    apart = domain.distances(cells)
    rates = {name: np.array([getattr(known, name) for known in own]) for name in FACTORS}
    return np.asarray(1.0 + sum(rates[name][cells.pair] * apart[name] for name in FACTORS))


def learn_widenings(
    model: CapacityModel, training: Training, needed: Callable[[Training, Limits], Array]
) -> tuple[Widening, ...]:
    """Hold out the end of each factor, and see how much wider intervals had to be.

    Parameters
    ----------
    model
        Fitted on ``training``; its form is kept.
    training
        Runs.
    needed
        From a table of medians: how many half-widths each cell lies off, by intervals made
        without these cells; nan where the cell is not informative, shape (n,).
    """
    found: dict[Pair, dict[str, float]] = {pair: {} for pair in training.pairs_seen}
    for name, end in ENDS.items():
        values = getattr(training.cells, name)
        if np.unique(values).size < VALUES_MIN[name]:
            continue
        for pair, rate in _rates(model, training, values == end(values), (name, needed)):
            # Queues beyond those measured may change what limits: never less than by rule.
            least = WIDENING if name == "queues" else LEAST
            found[pair][name] = float(np.clip(rate, least, MOST))
    return (*(Widening(pair=pair, **rates) for pair, rates in found.items()), UNKNOWN)


def _rates(
    model: CapacityModel, training: Training, held_out: Mask,
    asked: tuple[str, Callable[[Training, Limits], Array]],
) -> list[tuple[Pair, float]]:  # fmt: skip
    """Widening that each pair's cells at the end needed, where they are enough."""
    name, needed = asked
    seen = training.take(~held_out)
    held = training.take(held_out & np.isin(training.cells.pair, seen.cells.pair)).medians()
    if not len(held):
        return []
    try:
        limits = model.refit(seen).limits(held.cells)
    except BadInputError:  # too little is left without the end
        return []
    doublings = domain_of(seen).distances(held.cells)[name]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (needed(held, limits) - 1.0) / doublings
    rates = []
    for code in np.unique(held.cells.pair):
        own = rate[(held.cells.pair == code) & (doublings > 0.0) & ~np.isnan(rate)]
        if own.size >= CELLS_MIN:
            rank = min(int(np.ceil((own.size + 1) * LEVEL)), own.size)
            rates.append((held.cells.pairs[code], float(np.sort(own)[rank - 1])))
    return rates
