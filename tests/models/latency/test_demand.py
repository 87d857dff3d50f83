"""Capacity from busy shares: what runs below saturation tell of it."""

from dataclasses import replace

import numpy as np
import pytest

from linerate.models import Capacity, training_of
from linerate.models.latency.busy import busy_ratio
from linerate.models.latency.demand import capacity_training, fit_demand

from ..planted import split_table

LOAD, ACCESSES = np.tile(np.linspace(0.1, 1.2, 12), 2), np.repeat([0.0, 200.0], 12)


def test_planted_times_of_packets_and_wakeups_are_found_again():
    service_ns = 300.0 + 1.2 * ACCESSES
    busy = busy_ratio(LOAD, service_ns, setup_us=12.0, wake_us=4.0)
    found = fit_demand(LOAD, ACCESSES, busy, setup_us=12.0)
    assert found.base_ns == pytest.approx(300.0, rel=0.01)
    assert found.access_ns == pytest.approx(1.2, rel=0.01)
    assert found.wake_us == pytest.approx(4.0, rel=0.01)


def unsaturated():
    runs = training_of(split_table())
    return runs.take(runs.cells.offered_mpps < 0.9 * runs.forwarded_mpps.max())


def test_runs_that_were_never_saturated_tell_the_capacity():
    shown = capacity_training(unsaturated())
    capacity = 1e3 / (333.3 + 1.667 * shown.cells.memory_accesses)
    assert shown.forwarded_mpps == pytest.approx(capacity, rel=0.02)
    assert Capacity.fit(shown).paths[0].access_ns == pytest.approx(1.667, rel=0.05)


def test_a_saturated_run_tells_it_by_its_rate():
    shown = capacity_training(training_of(split_table()))
    assert np.isinf(shown.cells.offered_mpps).all()
    assert shown.forwarded_mpps.max() == pytest.approx(3.0, rel=0.02)


def test_without_busy_shares_the_runs_stay_as_they_are():
    runs = training_of(split_table())
    blind = replace(runs, busy=np.full(len(runs), np.nan))
    assert capacity_training(blind) is blind
