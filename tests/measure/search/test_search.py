"""Searches on devices of known capacity: the bound brackets the truth, or says why it cannot."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError, LinerateError
from linerate.measure.search.goals import NDR, PDR, THROUGHPUT, scaled
from linerate.measure.search.limits import find_limits, highest_load
from linerate.measure.search.mlrsearch import search_bounds
from linerate.measure.search.rfc2544 import throughput
from linerate.searches import Bound, SearchGoal

from ..labs.devices import LIMITS, LINE_MPPS, PACKET_MPPS, SECONDS, brackets, device, measurer

BOTH = (scaled(NDR, SECONDS), scaled(PDR, SECONDS))


def carried_mpps(capacity_mpps, goal):
    """Highest load of which a device of this capacity loses no more than the goal allows."""
    return capacity_mpps / (1.0 - goal.loss_ratio)


@settings(deadline=None, max_examples=60)
@given(capacity_mpps=st.floats(0.02, 14.0))
def test_the_bounds_bracket_the_truth_as_closely_as_asked(capacity_mpps):
    for result in search_bounds(measurer(device(capacity_mpps)), BOTH, LIMITS):
        assert result.regular
        assert brackets(result.bound, carried_mpps(capacity_mpps, result.goal))
        assert 0.0 < (result.bound.width_ratio or 1.0) <= result.goal.width_ratio
        assert result.limited_by == "device"
        assert result.lower_loss_ratio is not None
        assert result.lower_loss_ratio <= result.goal.loss_ratio
        assert result.bound.lower_mpps is not None
        kept = 1.0 - result.lower_loss_ratio
        assert result.conditional_mpps == pytest.approx(kept * result.bound.lower_mpps)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), capacity_mpps=st.floats(0.1, 14.0))
def test_a_device_that_stalls_at_times_is_found_at_its_capacity(seed, capacity_mpps):
    """One trial in five loses a percent: the median of the trials at a load is without."""
    rng = np.random.default_rng(seed)

    def stalls(fields):
        lost = 0.01 if rng.random() < 0.2 else 0.0
        return {"forwarded_packets": round(fields["forwarded_packets"] * (1.0 - lost))}

    for result in search_bounds(measurer(device(capacity_mpps, disturbed=stalls)), BOTH, LIMITS):
        truth_mpps = carried_mpps(capacity_mpps, result.goal)
        assert result.bound.lower_mpps <= truth_mpps + PACKET_MPPS
        assert result.bound.lower_mpps >= 0.95 * truth_mpps


def test_a_device_that_never_loses_is_bounded_by_the_line():
    for result in (
        *search_bounds(measurer(device(99.0)), BOTH, LIMITS),
        throughput(measurer(device(99.0)), scaled(THROUGHPUT, SECONDS), LIMITS),
    ):
        assert not result.regular
        assert result.bound == Bound(lower_mpps=LINE_MPPS, upper_mpps=None)
        assert result.limited_by == "line_rate"
        assert "the line carries no more" in result.reason


def test_a_device_that_always_loses_has_no_lower_bound():
    lossy = device(14.0, disturbed=lambda f: {"forwarded_packets": f["forwarded_packets"] // 2})
    for result in (
        *search_bounds(measurer(lossy), BOTH, LIMITS),
        throughput(measurer(lossy), scaled(THROUGHPUT, SECONDS), LIMITS),
    ):
        assert not result.regular
        assert result.bound == Bound(lower_mpps=None, upper_mpps=0.01)
        assert result.conditional_mpps is None
        assert result.limited_by == "min_load"


def test_a_generator_that_falls_short_is_named_and_not_the_device():
    asked = replace(LIMITS, max_mpps=8.0, max_from="max_load")
    slow = measurer(device(99.0, generator_mpps=5.0))
    for result in search_bounds(slow, BOTH, asked):
        assert brackets(result.bound, 5.0 / (1.0 - result.goal.loss_ratio))
        assert result.limited_by == "generator"
        assert "it was the generator that fell short" in result.reason


def test_no_more_is_asked_for_than_the_generator_sends():
    slow = measurer(device(99.0, generator_mpps=5.0))
    limits = find_limits(slow, min_mpps=0.01, max_mpps=None, seconds=SECONDS)
    assert (limits.max_mpps, limits.max_from) == (5.0, "generator")
    assert search_bounds(slow, BOTH, limits)[0].bound == Bound(lower_mpps=5.0, upper_mpps=None)


@pytest.mark.parametrize(("odd_one", "ratio"), [(2, 0.5), (3, 0.5), (4, 0.5)])
def test_one_odd_look_at_the_generator_does_not_limit_the_search(odd_one, ratio):
    looks = []

    def stalls(fields):
        looks.append(fields)
        if len(looks) != odd_one:
            return {}
        sent = round(fields["sent_packets"] * ratio)
        return {"sent_packets": sent, "forwarded_packets": sent}

    slow = measurer(device(99.0, generator_mpps=5.0, disturbed=stalls))
    limits = find_limits(slow, min_mpps=0.01, max_mpps=None, seconds=SECONDS)
    assert limits.max_mpps == 5.0


def test_a_generator_that_once_sends_more_is_held_to_what_it_sends_mostly():
    looks = []

    def hurries(fields):
        looks.append(fields)
        slower = 0.8 if len(looks) in (3, 4) else 1.0
        return {
            name: round(fields[name] * slower) for name in ("sent_packets", "forwarded_packets")
        }

    slow = measurer(device(99.0, generator_mpps=5.0, disturbed=hurries))
    limits = find_limits(slow, min_mpps=0.01, max_mpps=None, seconds=SECONDS)
    assert limits.max_mpps == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("mode", "max_mpps", "expected"),
    [
        ("split", None, (LINE_MPPS, "line_rate")), ("split", 2.0, (2.0, "max_load")),
        ("serial", None, (LINE_MPPS, "line_rate")), ("serial", 99.0, (LINE_MPPS, "line_rate")),
    ],
)  # fmt: skip
def test_the_line_or_the_plan_limits_a_search_from_above(mode, max_mpps, expected):
    limits = find_limits(
        measurer(device(1.0), mode=mode), min_mpps=0.01, max_mpps=max_mpps, seconds=SECONDS
    )
    assert (limits.max_mpps, limits.max_from) == pytest.approx(expected)


def test_a_serial_search_without_any_limit_is_refused():
    endless = measurer(device(1.0), mode="serial", link_gbps=float("inf"))
    with pytest.raises(BadInputError, match=r"link_gbps=inf: .*a finite link, or max_mpps"):
        find_limits(endless, min_mpps=0.01, max_mpps=None, seconds=SECONDS)


def test_a_lowest_load_above_the_highest_is_refused():
    with pytest.raises(BadInputError, match=r"min_mpps=3: the highest load is 2 Mpps"):
        find_limits(measurer(device(1.0)), min_mpps=3.0, max_mpps=2.0, seconds=SECONDS)


def test_a_generator_that_sends_nothing_is_an_error():
    dead = measurer(device(1.0, generator_mpps=1e-9))
    with pytest.raises(LinerateError, match="nothing was sent"):
        find_limits(dead, min_mpps=0.01, max_mpps=None, seconds=SECONDS)


def test_a_disturbed_trial_is_repeated_and_the_search_stays_valid():
    taken = []

    def stolen_first(fields):
        taken.append(fields)
        return {"steal_ratio": 0.5, "forwarded_packets": 0} if len(taken) == 1 else {}

    search = measurer(device(2.0, disturbed=stolen_first))
    assert search.at(1.0, SECONDS).loss_ratio == 0.0
    assert (search.trials, search.disturbed_trials) == (2, 1)
    assert search.verdict().state == "valid"


def stolen(fields):
    """Take a tenth of the time, and of the packets."""
    return {"steal_ratio": 0.1, "forwarded_packets": round(fields["forwarded_packets"] * 0.9)}


def test_what_came_back_whole_or_lost_far_more_than_was_held_needs_no_second_trial():
    search = measurer(device(2.0, disturbed=lambda fields: {"contended_ratio": 0.1}))
    for result in search_bounds(search, BOTH, LIMITS):
        assert brackets(result.bound, carried_mpps(2.0, result.goal))
        assert result.limited_by in ("device", "host")
    assert not search.at(1.0, SECONDS).doubts
    assert not search.at(8.0, SECONDS).doubts
    assert search.at(2.2, SECONDS).doubts
    assert search.at(1.0, SECONDS, exact=True).doubts, "its latencies are those of a busy machine"


def test_a_bound_holds_where_the_undisturbed_trials_bear_it():
    """Every second trial is disturbed: of three in turn one mostly is not."""
    rng = np.random.default_rng(7)
    results = search_bounds(
        measurer(device(2.0, disturbed=lambda f: stolen(f) if rng.random() < 0.5 else {})),
        BOTH, LIMITS,
    )  # fmt: skip
    for result in results:
        assert result.limited_by == "device"
        assert brackets(result.bound, carried_mpps(2.0, result.goal))


def test_what_stays_disturbed_makes_the_search_suspect_and_ends():
    search = measurer(device(2.0, disturbed=stolen))
    results = search_bounds(search, BOTH, LIMITS)
    doubted = [taken for taken in search.measurements if taken.doubts]
    assert search.trials == len(search.measurements) + len(doubted) * search.retries
    assert {result.limited_by for result in results} == {"host"}
    assert all("the trials stayed disturbed" in result.reason for result in results)
    verdict = search.verdict()
    assert verdict.state == "suspect"
    assert "measurements stayed disturbed" in verdict.reasons[0]
    assert "hypervisor" in verdict.reasons[0]


@pytest.mark.parametrize("counted", ["forwarded_packets", "sent_packets"])
@pytest.mark.parametrize(("held_ratio", "doubted"), [(0.0, False), (0.001, False), (0.003, True)])
def test_a_loss_is_doubted_where_others_held_the_core_for_as_long(counted, held_ratio, doubted):
    def loses(fields):
        kept = round(fields[counted] * 0.998)
        fewer = {"forwarded_packets": kept} | {counted: kept}
        return fewer | {"contended_ratio": held_ratio}

    assert bool(measurer(device(2.0, disturbed=loses)).at(1.0, SECONDS).doubts) == doubted


@pytest.mark.parametrize(
    "impossible",
    [
        {"intended_packets": 0, "sent_packets": 0, "forwarded_packets": 0},
        {"cpu_busy_ratios": (1.5,)},
    ],
)
def test_an_impossible_trial_counts_as_lost_so_that_no_bound_rests_on_it(impossible):
    run = device(2.0, disturbed=lambda fields: impossible)
    for result in (
        *search_bounds(measurer(run), BOTH, LIMITS),
        throughput(measurer(run), scaled(THROUGHPUT, SECONDS), LIMITS),
    ):
        assert result.bound.lower_mpps is None


def test_a_spent_budget_returns_the_bounds_known_by_then():
    short = measurer(device(2.0), seconds_max=1.0)
    for result in search_bounds(short, BOTH, LIMITS):
        assert result.limited_by == "budget"
        assert "stopped after 1 s of trials" in result.reason
    assert short.duration_s <= 1.0
    halved = throughput(measurer(device(2.0), seconds_max=0.35), scaled(THROUGHPUT, 0.1), LIMITS)
    assert halved.limited_by == "budget"
    assert brackets(halved.bound, 2.0)


def test_a_spent_budget_does_not_spoil_a_bound_that_was_found():
    ndr, pdr = search_bounds(measurer(device(2.0), seconds_max=3.0), BOTH, LIMITS)
    assert (ndr.limited_by, pdr.limited_by) == ("device", "budget")


def test_mrr_is_what_comes_back_of_the_highest_load():
    taken = highest_load(measurer(device(2.0)), LIMITS, seconds=SECONDS, trials=10)
    assert [each.trial.forwarded_mpps for each in taken] == pytest.approx([2.0] * 10)


@pytest.mark.parametrize(
    "changes",
    [
        {"loss_ratio": 1.0}, {"loss_ratio": -0.1}, {"exceed_ratio": 1.0}, {"width_ratio": 0.0},
        {"initial_trial_seconds": 2.0}, {"duration_sum_seconds": 0.5}, {"loss_ratio": float("nan")},
    ],
)  # fmt: skip
def test_impossible_goals_are_refused(changes):
    with pytest.raises(BadInputError, match="; allowed: "):
        replace(NDR, **changes)


def test_goals_scale_with_the_trial_and_keep_their_number_of_trials():
    goal = scaled(THROUGHPUT, 0.5)
    assert (goal.final_trial_seconds, goal.duration_sum_seconds) == (0.5, 0.5)
    assert isinstance(goal, SearchGoal)


def test_a_bound_upside_down_is_refused():
    with pytest.raises(ValueError, match="lower must be below upper"):
        Bound(lower_mpps=2.0, upper_mpps=1.0)
