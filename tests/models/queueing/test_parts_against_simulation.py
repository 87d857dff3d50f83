"""Set-ups, chains and hashed flows against packets, over the ranges that docstrings state."""

import numpy as np
import pytest

from linerate.models.queueing import mg1k, quantile_ns, shares
from linerate.models.queueing.chains import stages
from linerate.models.queueing.simulation import (
    Core,
    Route,
    Station,
    Traffic,
    simulate_core,
    simulate_route,
    simulate_station,
)
from linerate.models.queueing.simulation.station import fifo
from linerate.models.queueing.simulation.traffic import unit_draws
from linerate.models.queueing.textbook import ggm, transforms

pytestmark = pytest.mark.sampled

MEAN, P99 = 0.03, 0.10
"""Relative errors that are allowed of a mean and of a 99th percentile."""
SERVICE_NS = 100.0


def waits_ns(load_mpps, *, scv, packets=400_000, **core):
    """One ring without end that a core serves packet by packet."""
    one = Core(service_times_ns=(SERVICE_NS,), service_scv=scv, bursts=(1,), places=100_000,
               visit_ns=0.0, **core)  # fmt: skip
    rng = np.random.default_rng(5)
    return simulate_core(one, Traffic(load_mpps=load_mpps, packets=packets), rng).sojourns


def sojourn_p99_ns(load_mpps, scv, part):
    own = transforms.mg1_transform(load_mpps, SERVICE_NS, scv)
    parts = (own, part, transforms.gamma_transform(SERVICE_NS, scv))
    return float(
        quantile_ns(lambda ns: float(transforms.wait_ccdf(parts, ns)), 0.99, 10 * SERVICE_NS)
    )


@pytest.mark.parametrize(("load_mpps", "scv"), [(0.5, 1.0), (0.5, 3.0), (5.0, 0.0), (5.0, 1.0),
                                                (8.0, 0.0), (8.0, 3.0)])  # fmt: skip
def test_sojourns_with_a_set_up(load_mpps, scv):
    seen = waits_ns(load_mpps, scv=scv, setup_ns=2000.0, empty_ns=0.0)
    part = transforms.setup_transform(load_mpps, 2000.0)
    assert sojourn_p99_ns(load_mpps, scv, part) == pytest.approx(
        float(seen.quantile_ns(0.99)), rel=P99)  # fmt: skip


@pytest.mark.parametrize("load_mpps", [0.5, 5.0, 8.0])
@pytest.mark.parametrize("scv", [0.0, 1.0, 3.0])
def test_sojourns_with_vacations(load_mpps, scv):
    seen = waits_ns(load_mpps, scv=scv, empty_ns=500.0)
    part = transforms.vacation_transform(500.0)
    assert sojourn_p99_ns(load_mpps, scv, part) == pytest.approx(
        float(seen.quantile_ns(0.99)), rel=P99)  # fmt: skip


@pytest.mark.parametrize("services_ns", [(100.0, 50.0), (50.0, 100.0, 80.0)])
@pytest.mark.parametrize("load_mpps", [3.0, 8.0])
def test_stages_of_a_tandem(services_ns, load_mpps):
    """Jackson's case, in which every stage is M/M/1."""
    route = Route(hops=tuple(range(len(services_ns))), service_times_ns=services_ns, places=8192)
    traffic = Traffic(load_mpps=load_mpps, packets=400_000)
    seen = simulate_route(route, traffic, np.random.default_rng(3)).sojourns
    stages_ns = stages.tandem_sojourn_ns(load_mpps, services_ns, 1.0, 1.0)
    assert float(stages_ns.sum()) == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("scv", [0.5, 2.0])
@pytest.mark.parametrize("load_mpps", [3.0, 7.0])
def test_stages_of_a_tandem_of_other_service(scv, load_mpps):
    route = Route(hops=(0, 1), service_times_ns=(50.0, 100.0), service_scv=scv, places=8192)
    traffic = Traffic(load_mpps=load_mpps, packets=400_000)
    seen = simulate_route(route, traffic, np.random.default_rng(3)).sojourns
    stages_ns = stages.tandem_sojourn_ns(load_mpps, (50.0, 100.0), 1.0, scv)
    assert float(stages_ns.sum()) == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("offered_mpps", [2.0, 9.0, 30.0])
def test_stages_with_cores_of_their_own(offered_mpps):
    services_ns = (50.0, 200.0, 100.0)
    route = Route(hops=(0, 1, 2), service_times_ns=services_ns, service_scv=0.0, places=256)
    traffic = Traffic(load_mpps=offered_mpps, packets=400_000)
    run = simulate_route(route, traffic, np.random.default_rng(3))
    behind = stages.own_cores_mpps(offered_mpps, services_ns)
    passed_mpps = offered_mpps * (1.0 - run.sojourns.loss_ratio)
    assert behind[-1] == pytest.approx(passed_mpps, rel=MEAN)


def simulated_queues(flow_mpps, flows):
    """Mean time and loss of one queue that so many flows are hashed to, 0 to all."""
    rng, station = np.random.default_rng(6), Station(service_time_ns=SERVICE_NS, service_scv=0.0,
                                                     places=64)  # fmt: skip
    runs = [simulate_station(station, Traffic(load_mpps=count * flow_mpps, packets=200_000), rng)
            for count in range(1, flows + 1)]  # fmt: skip
    return np.asarray([(0.0, 0.0), *((run.mean_ns, run.loss_ratio) for run in runs)])


@pytest.mark.parametrize(("flows", "offered_mpps"), [(8, 12.0), (8, 24.0), (32, 20.0), (32, 30.0)])
def test_latency_and_rate_of_hashed_flows(flows, offered_mpps):
    """Hashes are drawn, and each queue's packets simulated."""
    rng, one = np.random.default_rng(6), np.ones(flows)
    simulated = simulated_queues(offered_mpps / flows, flows)
    drawn = np.asarray([shares.hashed_shares(one, 4, rng) for _ in range(20_000)])
    mean_ns, lost = (
        (drawn[..., None] * simulated[np.rint(drawn * flows).astype(int)]).sum(1).mean(0)
    )

    def alone_ns(load_mpps):
        return mg1k(load_mpps=load_mpps, service_time_ns=SERVICE_NS, service_scv=0.0,
                    places=64).sojourn_ns  # fmt: skip

    predicted_ns = shares.hashed_sojourn_ns(offered_mpps, flows, 4, alone_ns)
    assert predicted_ns == pytest.approx(mean_ns, rel=MEAN)
    forwarded = np.mean([shares.shared_mpps(offered_mpps, each, 10.0) for each in drawn])
    assert forwarded == pytest.approx(offered_mpps * (1.0 - lost), rel=MEAN)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_no_queue_drops_up_to_the_lossless_rate(share):
    lossless = shares.lossless_mpps([share, 1.0 - share], 10.0)
    busiest = Station(service_time_ns=SERVICE_NS, service_scv=0.0, places=256)
    for times, loses in ((0.95, False), (1.05, True)):
        traffic = Traffic(load_mpps=times * lossless * max(share, 1 - share), packets=300_000)
        seen = simulate_station(busiest, traffic, np.random.default_rng(1))
        assert (seen.loss_ratio > 0.0) is loses


@pytest.mark.parametrize("rho", [0.7, 0.9])
@pytest.mark.parametrize("scvs", [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5), (2.0, 1.0)])
@pytest.mark.parametrize("servers", [1, 4])
def test_p99_of_general_queues(rho, scvs, servers):
    load_mpps, packets, rng = 10 * rho * servers, 800_000, np.random.default_rng(7)
    arrivals_ns = Traffic(load_mpps=load_mpps, packets=packets, gap_scv=scvs[0]).arrivals_ns(rng)
    services_ns = SERVICE_NS * unit_draws(scvs[1], packets, rng)
    waited_ns = fifo(arrivals_ns, services_ns, servers, packets) - services_ns
    wait_ns = float(ggm.qna_wait_ns(load_mpps, SERVICE_NS, servers, scvs))
    p99_ns = float(ggm.ggm_wait_quantile_ns(wait_ns, load_mpps * 0.1, servers, 0.99))
    assert p99_ns == pytest.approx(float(np.quantile(waited_ns[packets // 10 :], 0.99)), rel=P99)


@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize("scvs", [(0.25, 0.5), (0.25, 1.0), (0.5, 0.0), (0.5, 1.0)])
@pytest.mark.parametrize("servers", [1, 4])
def test_means_of_smooth_arrivals(rho, scvs, servers):
    load_mpps, traffic_packets = 10 * rho * servers, 800_000
    station = Station(service_time_ns=SERVICE_NS, service_scv=scvs[1], servers=servers)
    traffic = Traffic(load_mpps=load_mpps, packets=traffic_packets, gap_scv=scvs[0])
    seen = simulate_station(station, traffic, np.random.default_rng(7))
    wait_ns = float(ggm.qna_wait_ns(load_mpps, SERVICE_NS, servers, scvs))
    assert wait_ns + SERVICE_NS == pytest.approx(seen.mean_ns, rel=0.035)
