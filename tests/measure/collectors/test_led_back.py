"""Trials beside others tell what a packet takes alone."""

from math import exp, nan

import pytest

from linerate.measure.collectors.led_back import USUAL, USUAL_SD, TrialBeside, led_back

FALLS = 0.4
SHARES = (0.1, 0.6, 0.3, 0.8)


def beside(alone_ns, shares=SHARES, falls=FALLS):
    return [TrialBeside(packet_ns=alone_ns * exp(falls * share), share=share) for share in shares]


def test_each_load_keeps_its_own_time():
    found = led_back([beside(500.0), beside(540.0)])
    assert found.packet_ns == pytest.approx((500.0, 540.0))
    assert found.log_sd == 0.0


def test_one_trial_that_something_else_disturbed_moves_little():
    trials = [*beside(500.0), TrialBeside(packet_ns=2000.0, share=0.2)]
    found = led_back([trials, beside(540.0)])
    assert found.packet_ns == pytest.approx((500.0, 540.0), rel=0.02)


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_where_looks_tell_no_slope_it_is_the_usual_one(share):
    trials = [TrialBeside(packet_ns=ns, share=share) for ns in (510.0, 500.0, 530.0)]
    found = led_back([trials, trials])
    assert found.packet_ns == pytest.approx((510.0 * exp(-USUAL * share),) * 2)
    assert found.log_sd == pytest.approx(USUAL_SD * share)


def test_where_nobody_looked_trials_are_taken_as_they_are():
    trials = [TrialBeside(packet_ns=ns, share=nan) for ns in (510.0, 500.0, 530.0)]
    found = led_back([trials, trials])
    assert (found.packet_ns, found.log_sd) == ((510.0, 510.0), 0.0)


def test_a_slope_that_is_hardly_known_counts_little():
    noisy = [TrialBeside(packet_ns=500.0 * (1 + number % 3), share=0.4 + 0.02 * number)
             for number in range(8)]  # fmt: skip
    found = led_back([noisy])
    assert found.packet_ns[0] == pytest.approx(1000.0 * exp(-USUAL * 0.48), rel=0.05)
    assert 0.9 * USUAL_SD * 0.47 < found.log_sd < USUAL_SD * 0.47


def test_others_slow_nobody_down_by_less_than_nothing():
    faster = beside(500.0, falls=-0.3)
    assert led_back([faster, faster]).packet_ns[0] < 500.0


@pytest.mark.parametrize("steady_ns", [400.0, 5000.0])
def test_what_others_do_not_lengthen_stays(steady_ns):
    trials = [TrialBeside(packet_ns=one.packet_ns + steady_ns, share=one.share)
              for one in beside(500.0)]  # fmt: skip
    found = led_back([trials, trials], steady_ns)
    assert found.packet_ns == pytest.approx((500.0 + steady_ns,) * 2)


def test_some_of_a_time_is_always_lengthened():
    trials = beside(500.0)
    found = led_back([trials, trials], steady_ns=900.0)
    assert all(0.94 * 500.0 < ns < 500.0 * exp(FALLS) for ns in found.packet_ns)
