"""Quantiles of latency and round trips, on what was planted."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.latency import fit_chain_rtt
from linerate.models.latency.tails import Tail, fit_tail
from linerate.models.queueing.simulation import Core, Traffic, simulate_core

PLANTED = Tail(fixed_us=3.0, setup_us=10.0, stall_ratio=0.01, stall_us=90.0)


@pytest.mark.deep
def test_without_stalls_quantiles_are_those_of_packets():
    calm = Tail(fixed_us=0.0, setup_us=10.0, stall_ratio=0.0, stall_us=1.0)
    core = Core(service_times_ns=(500.0,), bursts=(1,), places=10_000, visit_ns=0.0, empty_ns=0.0,
                setup_ns=10_000.0)  # fmt: skip
    traffic = Traffic(load_mpps=1.0, packets=500_000)
    seen = simulate_core(core, traffic, np.random.default_rng(1)).sojourns
    # Simulated set-ups are constant, so that only the middle is compared closely.
    predicted_ns = 1e3 * calm.quantile_us(1.0, 500.0, 0.5)
    assert predicted_ns == pytest.approx(float(seen.quantile_ns(0.5)), rel=0.1)


def test_stalls_make_the_tail_and_leave_the_median():
    calm = Tail(fixed_us=3.0, setup_us=10.0, stall_ratio=0.0, stall_us=90.0)
    calm_us, stalled_us = (tail.quantile_us(0.5, 500.0, (0.5, 0.99)) for tail in (calm, PLANTED))
    assert stalled_us[0] == pytest.approx(calm_us[0], rel=0.25)
    assert stalled_us[1] > 2.0 * calm_us[1]


def test_nothing_is_claimed_near_saturation():
    assert np.isnan(PLANTED.quantile_us(1.9, 500.0, (0.5, 0.99))).all()


def test_a_planted_tail_is_found_again():
    load = np.linspace(0.05, 1.5, 20)
    p50_us, p99_us = np.transpose([PLANTED.quantile_us(each, 500.0, (0.5, 0.99)) for each in load])
    found = fit_tail(load, np.full(20, 500.0), p50_us, p99_us)
    assert found is not None
    again = np.transpose([found.quantile_us(each, 500.0, (0.5, 0.99)) for each in load])
    np.testing.assert_allclose(again[0], p50_us, rtol=0.15)
    np.testing.assert_allclose(again[1], p99_us, rtol=0.3)


def test_one_length_of_chain_gives_no_line():
    with pytest.raises(BadInputError):
        fit_chain_rtt([0, 3, 3], [90.0, 200.0, 201.0])
