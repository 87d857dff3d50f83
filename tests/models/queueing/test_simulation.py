"""The simulator against closed forms, against Ciw, and against itself without a compiler."""

import sys
from importlib import reload

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.queueing import mg1_wait_ns, mg1k, mm1_sojourn_ns
from linerate.models.queueing.simulation import (
    Core,
    Route,
    Station,
    Traffic,
    core,
    core_loop,
    route,
    simulate_core,
    simulate_route,
    simulate_station,
    station,
)

POISSON = Traffic(load_mpps=7.0, packets=400_000)
POLLED = Core(service_times_ns=(100.0,), bursts=(32,), places=64, visit_ns=200.0, empty_ns=50.0)
FORWARDER = Route(hops=(0, 1, 0, 2, 0), service_times_ns=(40.0, 100.0, 100.0), places=4096)


def rng(seed=1):
    return np.random.default_rng(seed)


def test_a_lone_server_agrees_with_mm1():
    seen = simulate_station(Station(service_time_ns=100.0), POISSON, rng())
    assert abs(seen.mean_ns - mm1_sojourn_ns(7.0, 100.0)) < 2 * seen.mean_half_width_ns
    assert seen.loss_ratio == 0.0


@pytest.mark.parametrize("scv", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("load_mpps", [6.0, 9.5, 14.0])
def test_a_finite_buffer_agrees_with_mg1k(scv, load_mpps):
    exact = mg1k(load_mpps=load_mpps, service_time_ns=100.0, service_scv=scv, places=16)
    server = Station(service_time_ns=100.0, service_scv=scv, places=16)
    seen = simulate_station(server, Traffic(load_mpps=load_mpps, packets=400_000), rng())
    assert seen.mean_ns == pytest.approx(exact.sojourn_ns, rel=0.04)
    assert seen.loss_ratio == pytest.approx(exact.loss_ratio, rel=0.05, abs=2e-3)


def test_packets_in_a_full_system_are_lost_at_once():
    one_place = Station(service_time_ns=100.0, service_scv=0.0, places=1)
    bursts = Traffic(load_mpps=1.0, packets=1000, gap_scv=0.0, burst_packets=4)
    assert simulate_station(one_place, bursts, rng()).loss_ratio == pytest.approx(0.75)


def test_a_core_with_one_ring_and_no_overheads_is_a_queue():
    plain = Core(service_times_ns=(100.0,), bursts=(64,), places=10**6, visit_ns=0.0,
                 empty_ns=0.0, setup_ns=0.0, gated=False)  # fmt: skip
    queue = Station(service_time_ns=100.0, service_scv=0.0)
    by_core = simulate_core(plain, POISSON, rng()).sojourns.time_ns
    np.testing.assert_allclose(by_core, simulate_station(queue, POISSON, rng()).time_ns, atol=1e-3)


@pytest.mark.parametrize("gated", [True, False])
def test_no_visit_takes_more_than_a_burst(gated):
    flooded = Core(service_times_ns=(100.0,), bursts=(8,), places=64, visit_ns=400.0,
                   empty_ns=50.0, gated=gated)  # fmt: skip
    run = simulate_core(flooded, Traffic(load_mpps=50.0, packets=200_000), rng())
    assert run.burst_packets_mean == pytest.approx(8.0, rel=1e-2)
    passed_mpps = 50.0 * (1.0 - run.sojourns.loss_ratio)
    assert passed_mpps == pytest.approx(8e3 / (400.0 + 8 * 100.0), rel=0.01)


def test_work_on_packets_that_a_later_stage_drops_is_wasted():
    chain = Core(service_times_ns=(50.0, 400.0), bursts=(64, 8), places=64, visit_ns=0.0,
                 empty_ns=1.0, chained=True)  # fmt: skip
    run = simulate_core(chain, Traffic(load_mpps=10.0, packets=200_000), rng())
    round_ns = 64 * 50.0 + 8 * 400.0
    assert run.useful_ratio == pytest.approx(8 * (50.0 + 400.0) / round_ns, rel=0.05)
    assert 10.0 * (1.0 - run.sojourns.loss_ratio) == pytest.approx(8e3 / round_ns, rel=0.05)


def test_a_route_through_servers_met_again_has_product_form():
    """Jackson (1963), with a server that is passed three times: loads add up."""
    seen = simulate_route(FORWARDER, POISSON, rng()).sojourns
    expected_ns = 3 * 40.0 / (1.0 - 0.84) + 2 * 100.0 / (1.0 - 0.7)
    assert abs(seen.mean_ns - expected_ns) < 2 * seen.mean_half_width_ns


def test_every_packet_of_a_route_arrives_or_is_lost_somewhere():
    narrow = Route(hops=(0, 1, 0), service_times_ns=(60.0, 200.0), places=4)
    run = simulate_route(narrow, POISSON, rng())
    assert run.lost_by_hop.sum() / POISSON.packets == pytest.approx(
        run.sojourns.loss_ratio, rel=0.01)  # fmt: skip
    assert run.lost_by_hop[1] > 0


def test_waking_up_costs_what_welch_says():
    sleepy = Core(service_times_ns=(100.0,), bursts=(64,), places=10**6, visit_ns=0.0,
                  empty_ns=0.0, setup_ns=5000.0, gated=False)  # fmt: skip
    run = simulate_core(sleepy, Traffic(load_mpps=1.0, packets=400_000), rng())
    extra_ns = (5000.0 + 1e-3 * 5000.0**2 / 2) / (1.0 + 1e-3 * 5000.0)
    wait_ns = float(mg1_wait_ns(1.0, 100.0, 0.0)) + extra_ns
    assert run.sojourns.mean_ns == pytest.approx(100.0 + wait_ns, rel=0.01)
    assert run.wakeups_per_us == pytest.approx(0.9 / 6.0, rel=0.01)


@pytest.mark.parametrize(
    ("module", "simulate"),
    [
        (station, lambda m: m.simulate_station(
            m.Station(service_time_ns=100.0, servers=2, places=5), few(), rng()).time_ns),
        (core, lambda m: m.simulate_core(POLLED, few(), rng()).sojourns.time_ns),
        (route, lambda m: m.simulate_route(FORWARDER, few(), rng()).sojourns.time_ns),
    ],
    ids=["station", "core", "route"],
)  # fmt: skip
def test_compiled_and_plain_loops_agree_to_the_last_bit(module, simulate, monkeypatch):
    fast = simulate(module)
    compiled = sys.modules["linerate.models.queueing.simulation.compiled"]
    monkeypatch.setattr(compiled, "FAST", False)
    try:
        reload(core_loop)
        plain = simulate(reload(module))
    finally:
        monkeypatch.undo()
        reload(core_loop)
        reload(module)
    np.testing.assert_array_equal(plain, fast)


def few():
    return Traffic(load_mpps=9.0, packets=3000)


def test_impossible_settings_are_refused():
    with pytest.raises(BadInputError, match="load_mpps"):
        Traffic(load_mpps=0.0, packets=10)
    with pytest.raises(BadInputError, match="places"):
        Station(service_time_ns=1.0, servers=4, places=2)
    with pytest.raises(BadInputError, match="bursts"):
        Core(service_times_ns=(1.0, 1.0), bursts=(32,), places=8, visit_ns=0.0, empty_ns=1.0)
