"""[[searches]] blocks: what they mean, and what is refused."""

import math

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.measure.campaign.campaign import CampaignFile, campaign_from
from linerate.measure.campaign.search_order import plan_searches
from linerate.measure.search.rfc2544 import FRAME_BYTES

BLOCK = {
    "mode": "split", "datapath": ["xdp_native"], "program": ["map_lookup"],
    "memory_accesses": [0, 100], "queues": [1], "frame_bytes": [64], "link_gbps": 10.0,
    "min_mpps": 0.01,
}  # fmt: skip
PLAN = {
    "name": "searched", "lab": "veth", "repetitions": 2, "trial_seconds": 0.1,
    "warm_up_seconds": 0.05,
}  # fmt: skip


def campaign(**changes):
    """Build the campaign of one block; None leaves a key out."""
    block = {key: value for key, value in (BLOCK | changes).items() if value is not None}
    return campaign_from(PLAN | {"searches": [block]}, "plan")


def specs(**changes):
    return [spec for _, spec in campaign(**changes).searches()]


def test_a_block_searches_every_combination_for_ndr_and_pdr():
    searches = campaign().searches()
    assert [cell.memory_accesses for cell, _ in searches] == [0, 100]
    assert {tuple(goal.name for goal in spec.goals) for _, spec in searches} == {("ndr", "pdr")}
    assert {cell.load.arrivals for cell, _ in searches} == {"constant"}


def test_trials_last_as_long_as_the_campaigns_unless_the_block_says_otherwise():
    (goal, _) = specs()[0].goals
    assert (goal.final_trial_seconds, goal.duration_sum_seconds) == pytest.approx((0.1, 2.1))
    own = specs(
        trial_seconds=0.5, initial_trial_seconds=0.25, duration_sum_seconds=1.0, exceed_ratio=0.0,
        width_ratio=0.1, search_seconds_max=9.0,
    )[0]  # fmt: skip
    (goal, _) = own.goals
    assert (goal.initial_trial_seconds, goal.final_trial_seconds) == (0.25, 0.5)
    assert (goal.duration_sum_seconds, goal.exceed_ratio, goal.width_ratio) == (1.0, 0.0, 0.1)
    assert own.seconds_max == 9.0


def test_mrr_is_taken_only_where_it_is_asked_for():
    assert specs()[0].mrr_trials == 0
    alone = specs(goals=["mrr"], mrr_trials=3)[0]
    assert (alone.mrr_trials, alone.goals) == (3, ())


def test_rfc2544_runs_its_tests_on_its_frame_sizes():
    searches = campaign(preset="rfc2544", frame_bytes=None, memory_accesses=[0]).searches()
    assert tuple(cell.load.frame_bytes for cell, _ in searches) == FRAME_BYTES
    (goal,) = searches[0][1].goals
    assert (goal.loss_ratio, goal.exceed_ratio, goal.duration_sum_seconds) == (0.0, 0.0, 0.1)
    assert searches[0][1].tests == ("throughput", "latency", "frame_loss", "back_to_back")


def test_rfc2544_throughput_comes_before_what_is_taken_at_it():
    assert [goal.name for goal in specs(preset="rfc2544", goals=["latency"])[0].goals] == [
        "throughput"
    ]


def test_a_link_without_limit_still_starts_at_a_rate():
    assert math.isfinite(campaign(link_gbps=math.inf).searches()[0][0].load.offered_mpps)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"offered_mpps": [1.0]}, "searches.0.offered_mpps=[1.0]: unknown key"),
        ({"min_mpps": None}, "searches.0.min_mpps=nothing: the key is missing"),
        ({"min_mpps": 0.0}, "min_mpps=0.0: "),
        ({"min_mpps": "0.1"}, "min_mpps="),
        ({"goals": ["throughput"]}, "goals=throughput: preset mlrsearch does not know it"),
        ({"goals": ["pdr", "pdr"]}, "goals=pdr: "),
        ({"goals": ["best"]}, "goals.0=best: "),
        ({"retries": 101}, "retries=101: "),
        ({"preset": "rfc2544", "goals": ["ndr"]}, "goals=ndr: preset rfc2544"),
        ({"preset": "rfc2544", "exceed_ratio": 0.5}, "exceed_ratio=0.5: RFC 2544 tries each rate"),
        ({"preset": "fast"}, "preset=fast: "),
        ({"generator": "hping3"}, "generator=hping3: a search needs one that keeps any rate"),
        ({"generator": "ping"}, "generator=ping: "),
        ({"trial_seconds": 0.1, "initial_trial_seconds": 0.2}, "trial seconds=0.2, 0.1, "),
        ({"duration_sum_seconds": 0.01, "trial_seconds": 0.1}, "trial seconds=0.1, 0.1, 0.01"),
        ({"width_ratio": 0.0}, "width_ratio=0.0: "),
        ({"exceed_ratio": 1.0}, "exceed_ratio=1.0: "),
        ({"curve": {"percent": []}}, "curve.percent=[]: "),
        ({"curve": {"percent": [0.0]}}, "curve.percent.0=0.0: "),
        ({"curve": {"percent": [10], "arrivals": ["flood"]}}, "curve.arrivals.0=flood: "),
        ({"burst_packets": 8}, "burst_packets=8: constant arrivals have no bursts"),
    ],
)
def test_what_cannot_be_searched_is_refused(changes, says):
    with pytest.raises(BadInputError) as refused:
        campaign(**changes)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"trial_seconds": 0.1, "searches": None}, "there is nothing to measure"),
        ({"repetitions": 60_000}, "with these cells it makes 120000 runs"),
        ({"searches": []}, "searches=[]: "),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(changes, says):
    fields = PLAN | {"searches": [BLOCK]} | changes
    with pytest.raises(BadInputError) as refused:
        campaign_from({key: value for key, value in fields.items() if value is not None}, "plan")
    assert says in str(refused.value)


def test_goals_that_fit_only_the_campaigns_trials_are_refused_when_it_is_read():
    with pytest.raises(BadInputError, match="trial seconds="):
        campaign(initial_trial_seconds=0.5)


def test_searches_are_planned_once_each_repetition_by_the_seed():
    planned = plan_searches(campaign(), np.random.default_rng(1))
    assert sorted(search.search_id for search in planned) == [
        "s0000-r1", "s0000-r2", "s0001-r1", "s0001-r2",
    ]  # fmt: skip
    assert [search.repetition for search in planned] == [1, 1, 2, 2]
    many = campaign(memory_accesses=list(range(20)))
    orders = [plan_searches(many, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_queues_beyond_the_cores_are_left_out_of_searches_too():
    text = "\n".join([
        'name = "x"', 'lab = "veth"', "repetitions = 1", "trial_seconds = 0.1",
        "warm_up_seconds = 0.1", "[[searches]]", 'mode = "split"', 'datapath = ["xdp_native"]',
        'program = ["xdp_tx"]', "queues = [1, 8]", "link_gbps = 10.0", "min_mpps = 0.01",
    ])  # fmt: skip
    file = CampaignFile(campaign=campaign(queues=[1, 8]), text=text).within_cores(cores=4)
    assert {cell.queues for cell, _ in file.campaign.searches()} == {1}
