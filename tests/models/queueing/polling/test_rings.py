"""Rings that a core polls in bursts: chains against packets, over the ranges docstrings state."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models.queueing import Ring, mg1k, polled, polled_pair, polled_rings, polling_wait_ns
from linerate.models.queueing.simulation import Core, Traffic, simulate_core

pytestmark = pytest.mark.sampled

SERVICE_NS = 100.0


def simulated(load_mpps, rings=1, *, burst, packets=250_000, **settings):
    core = Core(service_times_ns=(SERVICE_NS,) * rings, bursts=(burst,) * rings, **settings)
    traffic = Traffic(load_mpps=load_mpps, packets=packets)
    return simulate_core(core, traffic, np.random.default_rng(8))


def ring(load_mpps, *, burst=32, places=128, visit_ns=50.0, **settings):
    costs = {"burst": burst, "places": places, "visit_ns": visit_ns, "empty_ns": visit_ns}
    return Ring(load_mpps=load_mpps, service_time_ns=SERVICE_NS, **(costs | settings))


@pytest.mark.parametrize("load_mpps", [0.5, 6.0, 8.0, 12.0])
@pytest.mark.parametrize("setup_ns", [None, 5000.0])
@pytest.mark.parametrize("burst", [16, 64])
def test_a_napi_poll_that_takes_later_arrivals(load_mpps, setup_ns, burst):
    costs = {"visit_ns": 200.0, "empty_ns": 50.0, "setup_ns": setup_ns, "places": 128}
    state = polled(ring(load_mpps, burst=burst, gated=False, **costs))
    run = simulated(load_mpps, burst=burst, gated=False, **costs)
    seen = run.sojourns
    assert state.sojourn_ns == pytest.approx(seen.mean_ns, rel=0.03)
    assert state.quantile_ns(0.99) == pytest.approx(float(seen.quantile_ns(0.99)), rel=0.05)
    assert state.loss_ratio == pytest.approx(seen.loss_ratio, rel=0.03, abs=1e-3)
    assert state.burst_packets_mean == pytest.approx(run.burst_packets_mean, rel=0.02)


@settings(max_examples=12, deadline=None)
@given(st.floats(0.5, 15.0), st.booleans(), st.sampled_from([1, 4, 32]))
def test_polls_lose_no_work(load_mpps, gated, burst):
    """Packets served in a cycle are those let in: losses and the mean burst agree."""
    state = polled(ring(load_mpps, burst=burst, places=40, gated=gated, empty_ns=20.0))
    assert 0.0 <= state.loss_ratio < 1.0
    assert state.chances.sum() == pytest.approx(1.0)
    assert state.found.sum() == pytest.approx(1.0)
    assert 1.0 - 1e-9 <= state.burst_packets_mean <= burst + 1e-9


@pytest.mark.parametrize("load_mpps", [3.0, 9.0, 14.0])
def test_polls_without_any_cost_are_a_plain_queue(load_mpps):
    """The place in service is not one of the ring."""
    free = polled(ring(load_mpps, places=15, visit_ns=0.0, empty_ns=1e-3, gated=False))
    plain = mg1k(load_mpps=load_mpps, service_time_ns=SERVICE_NS, service_scv=0.0, places=16)
    assert free.loss_ratio == pytest.approx(plain.loss_ratio, rel=1e-3, abs=1e-9)
    assert free.sojourn_ns == pytest.approx(plain.sojourn_ns, rel=2e-3)


@given(st.floats(0.5, 12.0))
@settings(max_examples=8, deadline=None)
def test_taking_later_arrivals_costs_no_more_looks(load_mpps):
    gated, later = (
        polled(ring(load_mpps, places=40, visit_ns=200.0, gated=each)) for each in (True, False)
    )
    assert later.burst_packets_mean >= gated.burst_packets_mean - 1e-9


@pytest.mark.parametrize("rings", [2, 4, 8])
@pytest.mark.parametrize(("visit_ns", "load_mpps"),
                         [(50.0, 2.0), (50.0, 8.0), (200.0, 5.0), (200.0, 7.5), (200.0, 8.9),
                          (50.0, 10.3), (50.0, 12.0), (200.0, 20.0), (200.0, 9.8)])  # fmt: skip
def test_several_rings_on_one_core(rings, visit_ns, load_mpps):
    state = polled_rings(ring(load_mpps / rings, visit_ns=visit_ns), rings)
    seen = simulated(load_mpps, rings, burst=32, places=128, visit_ns=visit_ns,
                     empty_ns=visit_ns, packets=1_000_000).sojourns  # fmt: skip
    assert state.sojourn_ns == pytest.approx(seen.mean_ns, rel=0.03)
    assert state.quantile_ns(0.99) == pytest.approx(float(seen.quantile_ns(0.99)), rel=0.10)
    assert state.loss_ratio == pytest.approx(seen.loss_ratio, rel=0.03, abs=1e-3)


@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("load_mpps", [5.0, 8.5, 9.0, 11.0])
def test_two_rings_of_other_load(load_mpps, share):
    shares = np.asarray([share, 1.0 - share])
    states = polled_pair(*(ring(load_mpps * own, visit_ns=200.0) for own in shares))
    core = Core(service_times_ns=(SERVICE_NS,) * 2, bursts=(32, 32), places=128, visit_ns=200.0,
                empty_ns=200.0)  # fmt: skip
    run = simulate_core(core, Traffic(load_mpps=load_mpps, packets=2_000_000),
                        np.random.default_rng(8), shares=shares)  # fmt: skip
    for which, state in enumerate(states):
        seen_ns = run.sojourns.time_ns[run.ring == which]
        assert state.sojourn_ns == pytest.approx(np.nanmean(seen_ns), rel=0.03)
        for ratio in (0.5, 0.99):
            assert state.quantile_ns(ratio) == pytest.approx(np.nanquantile(seen_ns, ratio),
                                                             rel=0.06)  # fmt: skip
        assert state.loss_ratio == pytest.approx(np.isnan(seen_ns).mean(), rel=0.02, abs=1e-3)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.5, 12.0), st.floats(0.1, 0.9), st.sampled_from([1, 4, 16]))
def test_two_rings_are_looked_at_equally_often(load_mpps, share, burst):
    """Rate through each ring, over what a look at it takes on average: looks in a time."""
    loads_mpps = (load_mpps * share, load_mpps * (1.0 - share))
    states = polled_pair(*(ring(mpps, burst=burst, places=24) for mpps in loads_mpps))
    looks = [mpps * (1.0 - state.loss_ratio) / (state.burst_packets_mean * (1.0 - state.found[0]))
             for mpps, state in zip(loads_mpps, states, strict=True)]  # fmt: skip
    assert looks[0] == pytest.approx(looks[1], rel=1e-6)


def test_a_ring_that_gets_nothing_only_costs_its_looks():
    """The other is then a ring whose core is away for a constant time."""
    busy, _ = polled_pair(ring(6.0), ring(1e-9))
    alone = polled(ring(6.0, away_ns=(50.0,)))
    assert busy.sojourn_ns == pytest.approx(alone.sojourn_ns, rel=1e-6)
    assert busy.loss_ratio == pytest.approx(alone.loss_ratio, rel=1e-6, abs=1e-12)
    np.testing.assert_allclose(busy.found, alone.found, atol=1e-9)


@pytest.mark.parametrize("rings", [2, 3, 16])
def test_the_mean_of_several_rings_is_the_exact_one(rings):
    state = polled_rings(ring(7.0 / rings), rings)
    exact_ns = polling_wait_ns(load_mpps=7.0, service_time_ns=SERVICE_NS, service_scv=0.0,
                               rings=rings, visit_ns=50.0)  # fmt: skip
    assert state.sojourn_ns == pytest.approx(exact_ns + SERVICE_NS, rel=0.01)


@pytest.mark.parametrize("asked", [
    ring(9.7 / 3),
    ring(1.0, setup_ns=500.0),
    ring(1.0, gated=False),
    ring(1.0, empty_ns=10.0),
    ring(10.3 / 3, places=1024),
])  # fmt: skip
def test_what_is_not_solved_is_refused(asked):
    with pytest.raises(BadInputError):
        polled_rings(asked, 3)
