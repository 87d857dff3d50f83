"""The order of a campaign's searches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.cells import Cell
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.order import PlannedRun, plan_runs, with_canaries
from linerate.measure.search.spec import SearchSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSearch:
    """One search to come: a program load of its own."""

    search_id: str
    repetition: int
    cell: Cell
    spec: SearchSpec


def plan_all(campaign: Campaign) -> tuple[list[PlannedRun], list[PlannedSearch]]:
    """Order all that a campaign measures, by its seed: its runs, then its searches."""
    rng = np.random.default_rng(campaign.seed)
    return plan_runs(campaign, rng), plan_searches(campaign, rng)


def searches_in_turn(
    campaign: Campaign, searches: list[PlannedSearch]
) -> list[PlannedSearch | PlannedRun]:
    """Put the canary between searches, where the campaign has one; none where none is left."""
    return with_canaries(searches, campaign, "canary-s")


def plan_searches(campaign: Campaign, rng: np.random.Generator) -> list[PlannedSearch]:
    """Order every repetition of every search: all in random order, then all again in another.

    Returns
    -------
    The same searches in the same order for the same campaign and seed; ``search_id`` is unique.
    """
    searches = campaign.searches()
    return [
        PlannedSearch(
            search_id=f"s{index:04d}-r{repetition}", repetition=repetition, cell=cell, spec=spec
        )
        for repetition in range(1, campaign.repetitions + 1)
        for index in rng.permutation(len(searches))
        for cell, spec in [searches[index]]
    ]
