"""Ciw, an independent simulator, says the same where it can say it."""

import numpy as np
import pytest

from linerate.models.queueing.simulation import Station, Traffic, simulate_station
from linerate.models.queueing.simulation.sojourns import half_width

pytestmark = pytest.mark.sampled

ciw = pytest.importorskip("ciw", reason="needs Ciw, of the dev group, to compare with")

CUSTOMERS, TRIALS = 4000, 12
"""Of one run, and independent runs whose means make the interval."""


def ciw_mean_ns(seed, *, service, servers, places):
    """Mean sojourn of those let in, by Ciw: unit of time 1 ns."""
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(9e-3)], service_distributions=[service],
        number_of_servers=[servers],
        queue_capacities=[float("inf") if places is None else places - servers],
    )  # fmt: skip
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(CUSTOMERS)
    records = [r for r in simulation.get_all_records() if r.record_type == "service"]
    settled = sorted(records, key=lambda record: record.arrival_date)[CUSTOMERS // 10 :]
    return float(np.mean([record.exit_date - record.arrival_date for record in settled]))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("scv", "servers", "places"), [(1.0, 1, 8), (0.0, 1, 8), (1.0, 2, None), (0.0, 3, 5)]
)
def test_mean_sojourns_lie_within_each_others_intervals(scv, servers, places):
    service_ns = 100.0
    service = ciw.dists.Exponential(1 / service_ns) if scv else ciw.dists.Deterministic(service_ns)
    means = [ciw_mean_ns(seed, service=service, servers=servers, places=places)
             for seed in range(TRIALS)]  # fmt: skip
    station = Station(service_time_ns=service_ns, service_scv=scv, servers=servers, places=places)
    ours = simulate_station(
        station, Traffic(load_mpps=9.0, packets=3_000_000), np.random.default_rng(5)
    )
    apart_ns = abs(np.mean(means) - ours.mean_ns)
    assert apart_ns < half_width(means) + ours.mean_half_width_ns
