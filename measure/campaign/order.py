"""The order of a campaign's runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.cells import Cell
from linerate.measure.campaign.campaign import Campaign


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
    planned: list[PlannedRun] = []
    since_canary = 0
    for repetition in range(1, campaign.repetitions + 1):
        for index in rng.permutation(len(cells)):
            if campaign.canary_every and since_canary % campaign.canary_every == 0:
                planned.append(_canary(cells[0], len(planned)))
            since_canary += 1
            planned.append(
                PlannedRun(
                    run_id=f"c{index:04d}-r{repetition}",
                    repetition=repetition,
                    canary=False,
                    cell=cells[index],
                )
            )
    if campaign.canary_every:
        planned.append(_canary(cells[0], len(planned)))
    return planned


def _canary(cell: Cell, position: int) -> PlannedRun:
    return PlannedRun(run_id=f"canary-{position:05d}", repetition=1, canary=True, cell=cell)
