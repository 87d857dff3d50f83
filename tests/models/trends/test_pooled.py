"""Cells together: what moves them all is found where none shows it alone, and which do is said."""

import numpy as np
import pandas as pd
import pytest

from linerate.models.trends.changes import trend_of
from linerate.models.trends.groups import POOLED_EVIDENCE_BITS, TAILS_EVIDENCE_BITS, group
from linerate.models.trends.pooled import cell_steps, pooled
from linerate.models.trends.samples import Samples

CAMPAIGNS, AT, CELLS = 35, 30, 24


def logs(step, noise, moving=CELLS, seed=5):
    """Make campaigns of cells of which the first ``moving`` step."""
    rng = np.random.default_rng(seed)
    found = rng.normal(0.0, noise, (CAMPAIGNS, CELLS))
    found[AT:, :moving] += step
    return found - np.median(found, axis=0)


def test_a_step_that_no_cell_shows_alone_is_found_in_all_together():
    found = logs(np.log(0.97), 0.034)
    alone = [len(group(own).starts) for own in found.T]
    assert np.mean(np.array(alone) > 1) < 0.1
    assert group(pooled(found)).starts == (0, AT)
    assert group(pooled(logs(0.0, 0.034))).starts == (0,)


def test_equal_cells_give_their_median_and_one_cell_itself():
    equal = np.tile(np.random.default_rng(1).normal(size=(12, 1)), (1, 5))
    equal += np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    assert pooled(equal) == pytest.approx(np.median(equal, axis=1))
    assert pooled(equal[:, :1]).tolist() == equal[:, 0].tolist()


def test_quiet_cells_count_more():
    rng = np.random.default_rng(2)
    noise = np.where(np.arange(CELLS) < CELLS // 2, 0.005, 0.05)
    found = rng.normal(size=(400, CELLS)) * noise
    assert pooled(found).std() < 0.8 * np.median(found, axis=1).std()


def test_a_few_cells_that_step_alone_do_not_move_the_rest():
    assert group(pooled(logs(-0.1, 0.01, moving=4))).starts == (0,)


def test_it_is_said_of_each_cell_whether_it_moved():
    found = logs(-0.05, 0.005, moving=20)
    found[AT:, 23] += 0.05
    steps = list(cell_steps(found, tuple(map(str, range(CELLS))), (0, AT, CAMPAIGNS), down=True))
    assert [one.moved for one in steps[:20]] == ["with it"] * 20
    assert steps[23].moved == "the other way"
    assert sum(one.moved == "not seen" for one in steps[20:23]) >= 2
    assert np.mean([one.lower < np.exp(-0.05) < one.upper for one in steps[:20]]) >= 0.75


def test_of_several_cells_together_more_evidence_is_asked_for_than_of_one():
    rng = np.random.default_rng(3)
    stepped = np.where(np.arange(35) < 30, 0.0, -0.03)
    own = next(
        one for one in (rng.normal(stepped, 0.01) for _ in range(40))
        if any(TAILS_EVIDENCE_BITS < bits < POOLED_EVIDENCE_BITS for bits in group(one).saved_bits)
    )  # fmt: skip
    campaigns = pd.DataFrame({"campaign_id": map(str, range(35)), "value": np.exp(own)})
    table = campaigns.assign(lower=1.0, upper=1.0, loads=3)
    for name in ("campaign", "label", "step"):
        table[name] = table["campaign_id"]
    changes = [
        trend_of(Samples(table=table, logs=np.tile(own[:, None], count),
                         cells=tuple("ab"[:count]), unit="ratio")).changes
        for count in (1, 2)
    ]  # fmt: skip
    assert [len(each) for each in changes] == [1, 0]
