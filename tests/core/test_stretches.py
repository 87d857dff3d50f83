"""The rate of stretches that nobody disturbed."""

import dataclasses
import math

import pytest

from linerate.records import Trial
from linerate.stretches import (
    ALIKE_RATIO,
    DISTURBED_RATIO,
    MOST_SHARED,
    STEEPEST,
    undisturbed_ns,
    unshared_mpps,
)

ALONE_NS = 250.0
BESIDE_NS = [300.0 + 2.0 * place for place in range(40)]
LOOKS = {"sharing_looks": 40.0, "sharing_shared_looks": 20.0}
TRIAL = Trial(
    duration_s=1.0, intended_packets=3_000_000, sent_packets=3_000_000, forwarded_packets=3_000_000,
    stretches_ns=((*[ALONE_NS] * 10, *BESIDE_NS[:30]),), probes={**LOOKS, MOST_SHARED: 0.5},
)  # fmt: skip


@pytest.mark.parametrize("alone", [5, 20, 40])
def test_a_tenth_that_agree_tell_it(alone):
    assert undisturbed_ns([ALONE_NS] * alone + BESIDE_NS[alone:]) == ALONE_NS


@pytest.mark.parametrize("alone", [0, 1, 3])
def test_fewer_do_not(alone):
    assert math.isnan(undisturbed_ns([ALONE_NS] * alone + BESIDE_NS[alone:]))


def test_one_that_was_read_late_does_not_count_against_the_others():
    assert undisturbed_ns([0.8 * ALONE_NS] + [ALONE_NS] * 39) == pytest.approx(ALONE_NS, rel=0.01)


def test_what_takes_a_little_longer_belongs_to_it_and_what_takes_more_does_not():
    little, more = ALONE_NS * (DISTURBED_RATIO - 0.01), ALONE_NS * (DISTURBED_RATIO + 0.01)
    found = undisturbed_ns([ALONE_NS] * 20 + [little] * 10 + [more] * 10)
    assert found == pytest.approx((20 * ALONE_NS + 10 * little) / 30)


def test_stretches_that_differ_by_themselves_tell_nothing():
    step = ALIKE_RATIO - 1.0
    assert math.isnan(undisturbed_ns([ALONE_NS * (1.0 + step * at) for at in range(40)]))


def test_a_rate_is_that_of_all_cores_and_of_what_came_back():
    assert unshared_mpps(TRIAL, math.inf) == pytest.approx(4.0)
    both = dataclasses.replace(
        TRIAL, stretches_ns=TRIAL.stretches_ns * 2, sent_packets=6_000_000,
        intended_packets=6_000_000, forwarded_packets=6_000_000,
    )  # fmt: skip
    assert unshared_mpps(both, math.inf) == pytest.approx(8.0)
    half = dataclasses.replace(TRIAL, forwarded_packets=1_500_000)
    assert unshared_mpps(half, math.inf) == pytest.approx(2.0)


QUIET = dataclasses.replace(
    TRIAL, probes={"sharing_looks": 40.0, "sharing_shared_looks": 0.0, MOST_SHARED: 0.0}
)


def test_stretches_that_are_quicker_by_themselves_change_no_rate_where_nobody_else_was_seen():
    assert unshared_mpps(QUIET, math.inf) == QUIET.forwarded_mpps
    assert unshared_mpps(dataclasses.replace(QUIET, stretches_ns=()), math.inf) == 3.0


def test_others_can_have_slowed_a_rate_by_so_much_at_a_look_and_no_more():
    one = dataclasses.replace(QUIET, probes={**QUIET.probes, "sharing_shared_looks": 4.0})
    assert unshared_mpps(one, math.inf) == pytest.approx(3.0 * math.exp(0.1 * STEEPEST))


@pytest.mark.parametrize("taken", ["contended_ratio", "steal_ratio"])
def test_time_that_other_processes_or_the_hypervisor_took_is_given_back(taken):
    held = dataclasses.replace(QUIET, **{taken: 0.2})
    assert unshared_mpps(held, math.inf) == pytest.approx(3.0 / 0.8)
    assert unshared_mpps(dataclasses.replace(QUIET, **{taken: 0.5}), math.inf) == pytest.approx(4.0)


def test_no_more_than_was_offered_and_as_counted_where_all_of_it_was_carried():
    assert unshared_mpps(TRIAL, 3.5) == 3.5
    assert unshared_mpps(TRIAL, 3.0) == TRIAL.forwarded_mpps


@pytest.mark.parametrize(
    "change",
    [
        {"probes": {}},
        {"stretches_ns": ()},
        {"stretches_ns": (TRIAL.stretches_ns[0], ())},
        {"probes": {**LOOKS, MOST_SHARED: 0.95}},
    ],
    ids=["nobody looked", "no stretches", "one core without", "others never left a core"],
)
def test_what_is_not_known_is_nan(change):
    assert math.isnan(unshared_mpps(dataclasses.replace(TRIAL, **change), math.inf))
