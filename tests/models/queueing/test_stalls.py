"""Queues whose machine stands still now and then, against what is known of them."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.queueing.simulation import (
    Core,
    Stalls,
    Station,
    Traffic,
    simulate_core,
    simulate_station,
)

SERVICE_NS, PER_US, STALL_NS = 500.0, 2e-4, 50_000.0
TRAFFIC = Traffic(load_mpps=0.6, packets=1_000_000)


def rng(seed=4):
    return np.random.default_rng(seed)


def test_the_clocks_are_each_others_inverse():
    clock = Stalls(per_us=0.01, lengths_ns=(100.0, 3000.0)).draw(1e6, rng())
    machine_ns = np.sort(rng().uniform(0.0, 1e6, 1000))
    np.testing.assert_allclose(clock.machine_ns(clock.wall_ns(machine_ns)), machine_ns)
    wall_ns = np.linspace(0.0, 1e6, 5000)
    assert (np.diff(clock.machine_ns(wall_ns)) >= 0.0).all()
    stopped = np.diff(clock.machine_ns(wall_ns)) == 0.0
    assert 0.0 < stopped.mean() < 1.0


def test_the_mean_is_that_of_a_server_with_breakdowns():
    """Preemptive resume, to the first order in the share of time that the machine stands still.

    Cobham, Operations Research 2 (1954); Takagi, Queueing Analysis, vol. 1 (1991).
    """
    station = Station(service_time_ns=SERVICE_NS, service_scv=0.0)
    seen = simulate_station(station, TRAFFIC, rng(), stalls=Stalls(per_us=PER_US,
                            lengths_ns=rng(1).exponential(STALL_NS, 20_000)))  # fmt: skip
    # Of all time, stalls begin as often as in running time less the share that they take.
    running = 1.0 / (1.0 + PER_US * 1e-3 * STALL_NS)
    stalled = 1.0 - running
    rest_ns = PER_US * 1e-3 * running * STALL_NS**2
    load = TRAFFIC.load_mpps * 1e-3
    residual_ns = rest_ns + load * SERVICE_NS**2 * (0.5 / running)
    known_ns = residual_ns / (running - load * SERVICE_NS) + SERVICE_NS / running
    assert stalled == pytest.approx(0.0099, abs=1e-4)
    assert seen.mean_ns == pytest.approx(known_ns, rel=0.08)


def test_stalls_make_the_tail_of_a_core_and_leave_its_median():
    core = Core(service_times_ns=(SERVICE_NS,), bursts=(64,), places=100_000, visit_ns=0.0,
                empty_ns=0.0, setup_ns=8000.0, gated=False)  # fmt: skip
    stalls = Stalls(per_us=PER_US, lengths_ns=(STALL_NS, 4 * STALL_NS))
    calm = simulate_core(core, TRAFFIC, rng()).sojourns.quantile_ns((0.5, 0.99))
    stalled = simulate_core(core, TRAFFIC, rng(), stalls=stalls).sojourns.quantile_ns((0.5, 0.99))
    assert stalled[0] == pytest.approx(calm[0], rel=0.1)
    assert stalled[1] > 5.0 * calm[1]


def test_a_full_ring_loses_what_comes_in_a_stall():
    station = Station(service_time_ns=SERVICE_NS, service_scv=0.0, places=8)
    stalls = Stalls(per_us=PER_US, lengths_ns=(STALL_NS,))
    lost = simulate_station(station, TRAFFIC, rng(), stalls=stalls).loss_ratio
    assert simulate_station(station, TRAFFIC, rng()).loss_ratio < 1e-4
    assert lost == pytest.approx(stalls.stalled_ratio, rel=0.3)


@pytest.mark.parametrize("wrong", [{"per_us": 0.0}, {"lengths_ns": ()}, {"lengths_ns": (0.0,)}],
                         ids=str)  # fmt: skip
def test_stalls_that_cannot_be_are_refused(wrong):
    with pytest.raises(BadInputError, match=next(iter(wrong))):
        Stalls(**({"per_us": 1.0, "lengths_ns": (5.0,)} | wrong))
