"""The order of runs: random, repeatable, interleaved, with a canary at both ends."""

import tomllib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.order import plan_runs

from .plans import plan


def planned(seed=3, **changes):
    campaign = campaign_from(tomllib.loads(plan(**changes)), "plan.toml")
    return campaign, plan_runs(campaign, np.random.default_rng(seed))


def factors(runs):
    return [run.cell for run in runs if not run.canary]


def test_the_same_seed_gives_the_same_order_and_another_another():
    first, again, other = (planned(seed)[1] for seed in (3, 3, 4))
    assert first == again
    assert factors(first) != factors(other)
    assert Counter(factors(first)) == Counter(factors(other))


@given(repetitions=st.integers(1, 5), every=st.integers(0, 20), seed=st.integers(0, 2**32))
def test_every_cell_is_run_once_a_repetition(repetitions, every, seed):
    campaign, runs = planned(seed, repetitions=repetitions, canary_every=every)
    of_plan = [(run.cell, run.repetition) for run in runs if not run.canary]
    assert len(of_plan) == len(set(of_plan)) == repetitions * len(campaign.cells())
    assert len({run.run_id for run in runs}) == len(runs)


def test_repetitions_are_interleaved():
    _, runs = planned(repetitions=3)
    repetitions = [run.repetition for run in runs if not run.canary]
    assert repetitions == sorted(repetitions), "a cell is repeated only when all had their turn"


def test_each_repetition_has_an_order_of_its_own():
    campaign, runs = planned(repetitions=2)
    cells = factors(runs)
    assert cells[: len(campaign.cells())] != cells[len(campaign.cells()) :]


@pytest.mark.parametrize("every", [1, 5, 7, 1000])
def test_a_canary_stands_first_and_last_and_never_further_apart(every):
    campaign, runs = planned(canary_every=every)
    positions = [position for position, run in enumerate(runs) if run.canary]
    assert (positions[0], positions[-1]) == (0, len(runs) - 1)
    assert all(late - early <= every + 1 for early, late in pairwise(positions))
    assert {runs[position].cell for position in positions} == {campaign.cells()[0]}


def test_without_canaries_the_plan_is_its_cells():
    assert not any(run.canary for run in planned(canary_every=0)[1])
