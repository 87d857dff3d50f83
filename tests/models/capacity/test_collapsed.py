"""Many runs of one cell as few."""

import numpy as np
import pytest
from tests.models.planted import lab_table

from linerate.models.capacity.collapsed import RUNS_MAX, collapsed, loss_of
from linerate.models.capacity.fit import LOSS_SCALE
from linerate.models.runs.training import training_of

RUNS = 400


@pytest.fixture(scope="module")
def runs():
    """Give many runs of two cells, one of them twice as fast by mistake."""
    cells = lab_table(queues=(1,), accesses=(800,), sizes=(64,), reloads=1)
    table = cells.loc[cells.index.repeat(RUNS)].assign(repetition=2 * [*range(1, RUNS + 1)])
    table["run_id"] = table["datapath"] + table["repetition"].astype(str)
    rng = np.random.default_rng(3)
    rates = table["forwarded_mpps"].to_numpy() * np.exp(
        LOSS_SCALE * rng.standard_normal(len(table))
    )
    rates[7] *= 2.0
    return training_of(table.assign(forwarded_mpps=rates))


def pull(log_mpps, weight, predicted):
    """Slope of a robust loss by what is predicted."""
    left = predicted - log_mpps
    return np.sum(weight * left / np.sqrt(1.0 + (left / LOSS_SCALE) ** 2))


def test_few_that_stand_for_many_pull_at_a_fit_as_these_do(runs):
    few, weight = collapsed(runs, LOSS_SCALE)
    assert weight.sum() == len(runs) > 10 * len(few)
    for code in np.unique(runs.cell):
        own, left = runs.take(runs.cell == code), few.cell == code
        rates = np.log(own.forwarded_mpps)
        most = LOSS_SCALE * len(own)
        for predicted in np.median(rates) + LOSS_SCALE * np.array([-3.0, -0.5, 0.0, 0.5, 3.0]):
            merged = pull(np.log(few.forwarded_mpps[left]), weight[left], predicted)
            assert merged == pytest.approx(pull(rates, 1.0, predicted), abs=0.01 * most)


def test_an_outlier_stays_one(runs):
    few, weight = collapsed(runs, LOSS_SCALE)
    assert few.forwarded_mpps.max() == pytest.approx(runs.forwarded_mpps.max())
    assert weight[np.argmax(few.forwarded_mpps)] == 1.0


def test_few_runs_of_a_cell_stay_as_they_are(runs):
    _, first = np.unique(runs.cell, return_index=True)
    few = runs.take(np.sort(np.concatenate([first + k for k in range(RUNS_MAX)])))
    same, weight = collapsed(few, LOSS_SCALE)
    assert same is few
    assert loss_of(weight) == "soft_l1"


def test_a_weight_counts_as_so_many_runs():
    loss = loss_of(np.array([3.0]))
    assert callable(loss)
    rho = loss(np.array([2.0, 2.0]))
    assert rho[:, 0] == pytest.approx(3.0 * rho[:, 1])
    assert rho[0, 1] == pytest.approx(2.0 * (np.sqrt(3.0) - 1.0))
