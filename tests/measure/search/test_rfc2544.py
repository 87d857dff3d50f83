"""RFC 2544 on devices of known capacity and ring."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.measure.search.goals import THROUGHPUT, scaled
from linerate.measure.search.rfc2544 import back_to_back, frame_loss, latency, throughput

from ..labs.devices import LIMITS, LINE_MPPS, SECONDS, brackets, device, measurer


@settings(deadline=None, max_examples=60)
@given(capacity_mpps=st.floats(0.02, 14.0), width_ratio=st.floats(0.001, 0.2))
def test_halving_brackets_the_truth_too(capacity_mpps, width_ratio):
    goal = replace(scaled(THROUGHPUT, SECONDS), width_ratio=width_ratio)
    result = throughput(measurer(device(capacity_mpps)), goal, LIMITS)
    assert brackets(result.bound, capacity_mpps)
    assert result.bound.width_ratio <= width_ratio


def test_rfc2544_frame_loss_stops_after_two_rates_without():
    trials = frame_loss(measurer(device(12.0)), LIMITS, SECONDS)
    percents = [round(100 * t.intended_packets / SECONDS / 1e6 / LINE_MPPS) for t in trials]
    assert percents == [100, 90, 80, 70]
    assert [t.loss_ratio == 0.0 for t in trials] == [False, False, True, True]


def test_rfc2544_latency_takes_two_minutes_for_each_of_throughput():
    log = []
    assert len(latency(measurer(device(2.0, log=log)), 1.5, 60.0, 20)) == 20
    assert {(load.offered_mpps, seconds) for load, seconds in log} == {(1.5, 120.0)}


@settings(deadline=None, max_examples=30)
@given(ring_packets=st.integers(1, 9000))
def test_rfc2544_longest_burst_is_what_the_ring_holds(ring_packets):
    burst = back_to_back(measurer(device(2.0, ring_packets=ring_packets)), 1.0, SECONDS)
    assert (burst.lower_packets, burst.upper_packets) == (ring_packets, ring_packets + 1)


def test_rfc2544_bursts_of_a_whole_trial_have_no_upper_bound():
    burst = back_to_back(measurer(device(2.0)), 1.0, SECONDS)
    assert (burst.lower_packets, burst.upper_packets) == (10_000, None)
