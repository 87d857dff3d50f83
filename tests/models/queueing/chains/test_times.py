"""Spread of the time through chains, bursts and hashed queues: against packets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models.queueing import (
    burst_transform,
    finite_tandem,
    hashed_shares,
    hashed_sojourn_ns,
    md1k_wait_ccdf,
    mg1_burst_wait_ns,
    mg1_transform,
    quantile_ns,
    star_ccdf,
    tandem_ccdf,
    tandem_sojourn_ns,
    wait_ccdf,
)
from linerate.models.queueing.simulation import (
    Route,
    Station,
    Traffic,
    simulate_route,
    simulate_station,
)
from linerate.models.queueing.textbook.transforms import gamma_transform

pytestmark = pytest.mark.sampled

RATIOS = (0.5, 0.99)


def routed(hops, services_ns, load_mpps, *, scv=1.0, places=8192):
    route = Route(hops=hops, service_times_ns=services_ns, service_scv=scv, places=places)
    traffic = Traffic(load_mpps=load_mpps, packets=250_000)
    return simulate_route(route, traffic, np.random.default_rng(3)).sojourns


def tandem(services_ns, load_mpps, **settings):
    return routed(tuple(range(len(services_ns))), services_ns, load_mpps, **settings)


def quantiles_ns(beyond):
    return quantile_ns(lambda ns: float(beyond(ns)), RATIOS, 1000.0)


@pytest.mark.sampled
@pytest.mark.parametrize("services_ns", [(100.0, 50.0), (50.0, 100.0, 80.0), (100.0,) * 3])
@pytest.mark.parametrize("load_mpps", [3.0, 8.0])
def test_stages_of_constant_service_wait_once(services_ns, load_mpps):
    """Friedman (1965): for the slowest of them alone, whatever their order."""
    seen = tandem(services_ns, load_mpps, scv=0.0)
    mean_ns = tandem_sojourn_ns(load_mpps, services_ns, 1.0, 0.0).sum()
    assert mean_ns == pytest.approx(seen.mean_ns, rel=0.01)
    predicted_ns = quantiles_ns(lambda ns: tandem_ccdf(load_mpps, services_ns, 0.0, ns))
    np.testing.assert_allclose(predicted_ns, seen.quantile_ns(RATIOS), rtol=0.05)


@pytest.mark.sampled
@pytest.mark.parametrize("services_ns", [(100.0, 50.0), (50.0, 100.0, 80.0), (60.0,) * 5])
@pytest.mark.parametrize("load_mpps", [3.0, 8.0])
@pytest.mark.parametrize("scv", [0.5, 1.0, 2.0])
def test_time_through_stages_with_cores_of_their_own(services_ns, load_mpps, scv):
    seen = tandem(services_ns, load_mpps, scv=scv)
    predicted_ns = quantiles_ns(lambda ns: tandem_ccdf(load_mpps, services_ns, scv, ns))
    np.testing.assert_allclose(predicted_ns, seen.quantile_ns(RATIOS), rtol=0.10)


@pytest.mark.parametrize("functions", [2, 4])
@pytest.mark.parametrize(("load_mpps", "busy_ratio"), [(3.0, 0.5), (3.0, 0.8), (7.0, 0.8)])
def test_time_through_a_hub(functions, load_mpps, busy_ratio):
    forwarder_ns = 1e3 * busy_ratio / (load_mpps * (functions + 1))
    hops = [0]
    for function in range(functions):
        hops += [function + 1, 0]
    seen = routed(tuple(hops), (forwarder_ns, *(100.0,) * functions), load_mpps)
    predicted_ns = quantiles_ns(lambda ns: star_ccdf(load_mpps, 100.0, functions, forwarder_ns, ns))
    np.testing.assert_allclose(predicted_ns, seen.quantile_ns(RATIOS), rtol=0.06)


@pytest.mark.parametrize("places", [8, 64])
@pytest.mark.parametrize("scv", [0.5, 1.0])
@pytest.mark.parametrize("load_mpps", [4.0, 9.0, 20.0])
def test_rates_and_times_of_stages_with_small_rings(places, scv, load_mpps):
    services_ns = (50.0, 100.0)
    seen = tandem(services_ns, load_mpps, scv=scv, places=places)
    stages = finite_tandem(load_mpps, services_ns, scv, places)
    passed = float(np.prod([1.0 - stage.loss_ratio for stage in stages]))
    assert passed == pytest.approx(1.0 - seen.loss_ratio, rel=0.02)
    assert sum(stage.sojourn_ns for stage in stages) == pytest.approx(seen.mean_ns, rel=0.05)


@pytest.mark.sampled
@pytest.mark.parametrize("scv", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("burst", [2, 8])
def test_sojourns_of_bursts(scv, burst):
    traffic = Traffic(load_mpps=6.0, packets=400_000, burst_packets=burst)
    station = Station(service_time_ns=100.0, service_scv=scv)
    seen = simulate_station(station, traffic, np.random.default_rng(7))
    parts = (burst_transform(6.0, 100.0, scv, burst), gamma_transform(100.0, scv))
    predicted_ns = quantiles_ns(lambda ns: wait_ccdf(parts, ns))
    np.testing.assert_allclose(predicted_ns, seen.quantile_ns(RATIOS), rtol=0.05)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.5, 8.0), st.floats(0.2, 3.0), st.integers(1, 8))
def test_the_mean_of_the_distribution_of_bursts_is_the_closed_form(load_mpps, scv, burst):
    """By the slope of the transform at 0."""
    slope_ns = (1.0 - burst_transform(load_mpps, 100.0, scv, burst)(np.asarray([1e-7 + 0j]))) / 1e-7
    exact_ns = float(mg1_burst_wait_ns(load_mpps, 100.0, scv, burst))
    assert float(slope_ns.real[0]) == pytest.approx(exact_ns, rel=2e-3)


def test_waits_of_bursts_of_one_are_single_packets():
    s = np.asarray([1e-3 + 1e-3j])
    single = mg1_transform(5.0, 100.0, 0.5)(s)
    np.testing.assert_allclose(burst_transform(5.0, 100.0, 0.5, 1)(s), single)


@pytest.mark.parametrize("offered_mpps", [12.0, 24.0])
def test_p99_of_hashed_flows(offered_mpps):
    """Packets of many drawn hashes put together, each queue simulated by its own flows."""
    rng, flows, queues = np.random.default_rng(6), 16, 4
    station = Station(service_time_ns=100.0, service_scv=0.0, places=64)
    drawn = np.asarray([hashed_shares(np.ones(flows), queues, rng) for _ in range(4000)])
    counts = np.bincount(np.rint(drawn * flows).astype(int).ravel(), minlength=flows + 1)
    times_ns, weights = [], []
    for count in np.flatnonzero(counts[1:]) + 1:
        own = Traffic(load_mpps=offered_mpps * count / flows, packets=60_000)
        through_ns = simulate_station(station, own, rng).time_ns
        kept = through_ns[~np.isnan(through_ns)]
        times_ns.append(kept)
        weights.append(np.full(kept.size, counts[count] * count / through_ns.size))
    order = np.argsort(np.concatenate(times_ns))
    share = np.cumsum(np.concatenate(weights)[order])
    seen_ns = np.concatenate(times_ns)[order][np.searchsorted(share, 0.99 * share[-1])]

    def beyond(ns):
        return hashed_sojourn_ns(
            offered_mpps, flows, queues,
            lambda mpps: float(md1k_wait_ccdf(mpps, 100.0, 64, max(ns - 100.0, 0.0))),
        )  # fmt: skip

    assert quantile_ns(beyond, 0.99, 1000.0) == pytest.approx(seen_ns, rel=0.10)


@pytest.mark.parametrize("ask", [
    lambda: tandem_ccdf(10.0, [50.0, 100.0], 1.0, 10.0),
    lambda: star_ccdf(5.0, 100.0, 3, 50.0, 10.0),
    lambda: star_ccdf(10.0, 100.0, 1, 5.0, 10.0),
])  # fmt: skip
def test_saturated_chains_are_refused(ask):
    with pytest.raises(BadInputError):
        ask()
