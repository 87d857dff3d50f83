"""The order of a campaign's runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from linerate.cells import Cell
from linerate.measure.campaign.campaign import Campaign

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One program load to come."""

    run_id: str
    repetition: int
    canary: bool
    cell: Cell


def plan_runs(campaign: Campaign, rng: np.random.Generator) -> list[PlannedRun]:
    """Order every repetition of every cell.

    Repetitions are interleaved: all cells once, in random order, then all again in another. So
    a slow drift of the machine spreads over the cells instead of falling on some. A canary, the
    plan's first cell, stands first and last and after every ``canary_every`` runs.

    Returns
    -------
    The same runs in the same order for the same campaign and seed; ``run_id`` is unique.
    """
    cells = campaign.cells()
    planned = [
        PlannedRun(
            run_id=f"c{index:04d}-r{repetition}",
            repetition=repetition,
            canary=False,
            cell=cells[index],
        )
        for repetition in range(1, campaign.repetitions + 1)
        for index in rng.permutation(len(cells))
    ]
    return with_canaries(planned, campaign)


def with_canaries(
    planned: Sequence[T], campaign: Campaign, name: str = "canary"
) -> list[T | PlannedRun]:
    """Put the canary first, last and after every ``canary_every`` of what is planned, if anything.

    Parameters
    ----------
    planned
        Runs or searches, in their order.
    campaign
        How often, and which cell the canary is.
    name
        What ids of these canaries begin with.
    """
    every = campaign.canary_every
    if not planned or not every:
        return list(planned)
    cell = campaign.canary_cell()
    mixed: list[T | PlannedRun] = []
    for start in range(0, len(planned), every):
        mixed += [_canary(cell, name, len(mixed)), *planned[start : start + every]]
    return [*mixed, _canary(cell, name, len(mixed))]


def _canary(cell: Cell, name: str, position: int) -> PlannedRun:
    return PlannedRun(run_id=f"{name}-{position:05d}", repetition=1, canary=True, cell=cell)
