"""Latency of flooded runs: the ring is read off, and rates of cells not measured are predicted."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.latency.overload import fit_overload

from ..planted import ACCESS_NS, BASE_NS, cells_table, lab_table

RINGS = {1: 512.0, 2: 4096.0}
FIXED_US = 40.0


def flooded(*, rings=RINGS):
    """Flooded runs of a card whose ring was set anew between repetitions."""
    table = lab_table(noise=0.0, reloads=len(rings)).drop(columns="mode")
    full = table["forwarded_mpps"] < 0.99 * table["offered_mpps"]
    ring = table["repetition"].map(rings)
    latency_us = ring * table["queues"] / table["forwarded_mpps"] + FIXED_US
    return table.assign(latency_mean_us=np.where(full, latency_us, 600.0))


@pytest.fixture(scope="module")
def model():
    return fit_overload(flooded())


def test_the_ring_of_each_repetition_is_found(model):
    assert [ring.packets for ring in model.rings] == pytest.approx([512.0, 4096.0], rel=0.01)
    assert model.fixed_us == pytest.approx(FIXED_US, rel=0.01)


def test_latency_of_a_cell_that_was_not_measured(model):
    service_ns = BASE_NS["xdp_native"] + ACCESS_NS * 1000
    said_us = model.predict(cells_table(memory_accesses=1000, queues=[1]))
    assert said_us == pytest.approx(model.ring_packets * service_ns * 1e-3 + FIXED_US, rel=0.02)


def test_a_measured_rate_counts_more_than_a_predicted_one(model):
    cells = cells_table(memory_accesses=1000, queues=[1], offered_mpps=[14.0])
    slower_mpps = 0.5 / (1e-3 * (BASE_NS["xdp_native"] + ACCESS_NS * 1000))
    said_us = model.predict(cells.assign(forwarded_mpps=slower_mpps))
    assert said_us == pytest.approx(model.ring_packets / slower_mpps + FIXED_US, rel=0.005)


def test_nothing_is_said_of_a_load_that_fills_no_ring(model):
    light, heavy = model.predict(cells_table(offered_mpps=[0.5, 14.0]))
    assert np.isnan(light)
    assert heavy > FIXED_US


def test_a_path_that_was_never_overloaded_is_refused(model):
    with pytest.raises(BadInputError):
        model.predict(cells_table(datapath="tc"))


def test_tables_with_modes_or_without_latency_have_no_rings():
    assert fit_overload(lab_table()) is None
    assert fit_overload(lab_table().drop(columns="mode")) is None


def test_the_rings_of_the_study_are_powers_of_two(real_runs):
    found = fit_overload(real_runs)
    assert found is not None
    assert [ring.repetition for ring in found.rings] == [4, 5]
    assert [ring.packets for ring in found.rings] == pytest.approx([4096.0, 8192.0], rel=0.01)
