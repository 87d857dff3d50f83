"""Formulas against packets, over the ranges that their docstrings state."""

import numpy as np
import pytest

from linerate.models import queueing
from linerate.models.queueing.polling.polled import polled
from linerate.models.queueing.polling.ring import Ring
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
from linerate.models.queueing.textbook.mg1k_waits import mg1k_wait_ccdf
from linerate.models.queueing.textbook.quantiles import quantile_ns

pytestmark = pytest.mark.sampled

MEAN, P99 = 0.03, 0.10
"""Relative errors that are allowed of a mean and of a 99th percentile."""
SERVICE_NS = 100.0


def station(rho, *, packets=300_000, gap_scv=1.0, burst=1, **queue):
    load_mpps = 10 * rho * queue.get("servers", 1)
    traffic = Traffic(load_mpps=load_mpps, packets=packets, gap_scv=gap_scv,
                      burst_packets=burst)  # fmt: skip
    return simulate_station(
        Station(service_time_ns=SERVICE_NS, **queue), traffic, np.random.default_rng(7)
    )


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.8])
def test_waits_of_md1(rho):
    seen = station(rho, service_scv=0.0)
    p99_ns = quantile_ns(
        lambda ns: float(queueing.md1_wait_ccdf(10 * rho, SERVICE_NS, ns)), 0.99, 100.0
    )
    assert p99_ns + SERVICE_NS == pytest.approx(float(seen.quantile_ns(0.99)), rel=P99)


@pytest.mark.parametrize("rho", [0.3, 0.9, 1.5])
@pytest.mark.parametrize("scv", [0.0, 0.25, 1.0, 4.0])
@pytest.mark.parametrize("places", [8, 256])
def test_waits_of_a_finite_queue(rho, scv, places):
    waited_ns = quantile_ns(
        lambda ns: float(mg1k_wait_ccdf(load_mpps=10 * rho, service_time_ns=SERVICE_NS,
                                        service_scv=scv, places=places, beyond_ns=ns)),
        0.99, 100.0,
    )  # fmt: skip
    assert float(waited_ns) == pytest.approx(p99_wait_ns(rho, scv, places), rel=P99)


def p99_wait_ns(rho, scv, places):
    rng = np.random.default_rng(7)
    arrivals_ns = Traffic(load_mpps=10 * rho, packets=2_000_000).arrivals_ns(rng)
    services_ns = SERVICE_NS * unit_draws(scv, arrivals_ns.size, rng)
    waits_ns = fifo(arrivals_ns, services_ns, 1, places) - services_ns
    return float(np.nanquantile(waits_ns[30_000:], 0.99))


@pytest.mark.parametrize("burst", [2, 8])
def test_waits_of_bursts(burst):
    seen = station(0.6, service_scv=0.5, burst=burst)
    wait_ns = float(queueing.mg1_burst_wait_ns(6.0, SERVICE_NS, 0.5, burst))
    assert wait_ns + SERVICE_NS == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_paced_arrivals_before_exponential_service(rho):
    seen = station(rho, service_scv=1.0, gap_scv=0.0)
    assert queueing.gim1_wait_ns(10 * rho, SERVICE_NS) + SERVICE_NS == pytest.approx(
        seen.mean_ns, rel=MEAN)  # fmt: skip


@pytest.mark.parametrize("rho", [0.7, 0.8])
@pytest.mark.parametrize(("gap_scv", "scv"), [(0.5, 0.5), (0.5, 1.0), (1.0, 0.5)])
def test_qna_of_one_server(rho, gap_scv, scv):
    seen = station(rho, service_scv=scv, gap_scv=gap_scv, packets=2_000_000)
    wait_ns = float(queueing.qna_wait_ns(10 * rho, SERVICE_NS, 1, (gap_scv, scv)))
    assert wait_ns + SERVICE_NS == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("rho", [0.5, 0.8])
@pytest.mark.parametrize("scv", [0.0, 0.5, 2.0])
def test_allen_cunneen_of_several_servers(rho, scv):
    seen = station(rho, service_scv=scv, servers=4, packets=600_000)
    wait_ns = float(queueing.ggm_wait_ns(40 * rho, SERVICE_NS, 4, (1.0, scv)))
    assert wait_ns + SERVICE_NS == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("load_mpps", [0.5, 6.0, 8.0, 12.0])
@pytest.mark.parametrize("setup_ns", [None, 5000.0])
def test_bursts_from_a_ring(load_mpps, setup_ns):
    costs = {"visit_ns": 200.0, "empty_ns": 50.0, "setup_ns": setup_ns, "places": 128}
    core = Core(service_times_ns=(SERVICE_NS,), bursts=(32,), **costs)
    state = polled(Ring(load_mpps=load_mpps, service_time_ns=SERVICE_NS, burst=32, **costs))
    traffic = Traffic(load_mpps=load_mpps, packets=600_000)
    seen = simulate_core(core, traffic, np.random.default_rng(8)).sojourns
    assert state.sojourn_ns == pytest.approx(seen.mean_ns, rel=MEAN)
    assert state.quantile_ns(0.99) == pytest.approx(float(seen.quantile_ns(0.99)), rel=P99)
    assert state.loss_ratio == pytest.approx(seen.loss_ratio, rel=0.03, abs=1e-3)


@pytest.mark.parametrize("rings", [2, 4, 8])
@pytest.mark.parametrize("rho", [0.2, 0.5, 0.8])
def test_polling_of_several_rings(rings, rho):
    core = Core(service_times_ns=(SERVICE_NS,) * rings, bursts=(32,) * rings, places=128,
                visit_ns=50.0, empty_ns=50.0)  # fmt: skip
    traffic = Traffic(load_mpps=10 * rho, packets=600_000)
    seen = simulate_core(core, traffic, np.random.default_rng(9)).sojourns
    wait_ns = queueing.polling_wait_ns(load_mpps=10 * rho, service_time_ns=SERVICE_NS,
                                      service_scv=0.0, rings=rings, visit_ns=50.0)  # fmt: skip
    assert wait_ns + SERVICE_NS == pytest.approx(seen.mean_ns, rel=MEAN)


@pytest.mark.parametrize("services_ns", [(50.0, 400.0), (100.0, 50.0, 200.0)])
@pytest.mark.parametrize("offered_mpps", [1.0, 4.0, 20.0])
def test_stages_that_share_a_core(services_ns, offered_mpps):
    bursts = tuple(int(3200 / service_ns) for service_ns in services_ns)
    core = Core(service_times_ns=services_ns, bursts=bursts, places=256, visit_ns=0.0,
                empty_ns=0.1, chained=True)  # fmt: skip
    traffic = Traffic(load_mpps=offered_mpps, packets=300_000)
    run = simulate_core(core, traffic, np.random.default_rng(2))
    behind = queueing.passed_mpps(offered_mpps, services_ns, bursts)
    passed_mpps = offered_mpps * (1.0 - run.sojourns.loss_ratio)
    assert passed_mpps == pytest.approx(behind[-1], rel=MEAN)
    wasted = queueing.wasted_ratio(behind, services_ns)
    assert 1.0 - run.useful_ratio == pytest.approx(wasted, abs=0.02)


def test_a_hub_and_direct_hops():
    traffic, rng = Traffic(load_mpps=5.0, packets=600_000), np.random.default_rng(4)
    star = Route(hops=(0, 1, 0, 2, 0), service_times_ns=(40.0, 100.0, 100.0), places=4096)
    direct = Route(hops=(0, 1), service_times_ns=(100.0, 100.0), places=4096)
    assert queueing.star_sojourn_ns(5.0, 100.0, 2, 40.0) == pytest.approx(
        simulate_route(star, traffic, rng).sojourns.mean_ns, rel=MEAN)  # fmt: skip
    assert queueing.direct_sojourn_ns(5.0, 100.0, 2) == pytest.approx(
        simulate_route(direct, traffic, rng).sojourns.mean_ns, rel=MEAN)  # fmt: skip
