"""Queues against textbooks, and the latency model against runs it made itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models import fit_latency
from linerate.models.latency.busy import busy_ratio, fit_wake_us, utilisation, wakeups_per_us
from linerate.models.queueing import (
    md1_wait_ns,
    mg1_wait_ns,
    mg1k,
    mm1_sojourn_ns,
    mm1k_loss_ratio,
    mm1k_sojourn_ns,
    overload_latency_us,
)

from ..planted import cells_table, lab_table, split_table


def solved(rho, *, scv=1.0, places=8, service_ns=100.0):
    load = rho * 1e3 / service_ns
    return mg1k(load_mpps=load, service_time_ns=service_ns, service_scv=scv, places=places)


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.95, 1.0, 1.3, 4.0])
@pytest.mark.parametrize("places", [1, 2, 16, 256])
def test_exponential_service_gives_mm1k(rho, places):
    queue = solved(rho, places=places)
    assert queue.loss_ratio == pytest.approx(
        float(mm1k_loss_ratio(10 * rho, 100.0, places)), rel=1e-9, abs=1e-14)  # fmt: skip
    assert queue.sojourn_ns == pytest.approx(
        float(mm1k_sojourn_ns(10 * rho, 100.0, places)), rel=1e-9)  # fmt: skip


@pytest.mark.parametrize("scv", [0.0, 0.3, 1.0, 3.0])
def test_a_large_buffer_gives_pollaczek_khinchine(scv):
    queue = solved(0.7, scv=scv, places=1024)
    assert queue.wait_ns == pytest.approx(float(mg1_wait_ns(7.0, 100.0, scv)), rel=1e-9)
    assert queue.loss_ratio == pytest.approx(0.0, abs=1e-9)


def test_md1_loss_with_one_waiting_place_is_the_textbooks():
    # Embedded chain by hand: K = 2, rho = 1: loss = 1 - 1 / (left(0) + rho), left(0) = exp(-1).
    assert solved(1.0, scv=0.0, places=2).loss_ratio == pytest.approx(1 - 1 / (np.exp(-1) + 1))


def test_erlang_b_holds_for_any_service():
    for scv in (0.0, 1.0, 9.0):
        assert solved(0.8, scv=scv, places=1).loss_ratio == pytest.approx(0.8 / 1.8)


def test_mm1_and_md1_differ_by_half_the_wait():
    wait = mm1_sojourn_ns(8.0, 100.0) - 100.0
    assert wait == pytest.approx(400.0)
    assert md1_wait_ns(8.0, 100.0) == pytest.approx(wait / 2)


@settings(max_examples=40)
@given(st.floats(0.05, 3.0), st.floats(0.0, 30.0), st.integers(1, 64))
def test_little_and_flow_balance_hold(rho, scv, places):
    queue = solved(rho, scv=scv, places=places)
    assert 0.0 <= queue.loss_ratio <= 1.0
    assert queue.busy_ratio == pytest.approx(rho * (1.0 - queue.loss_ratio), rel=1e-6)
    assert 0.0 <= queue.mean_packets <= places
    assert queue.sojourn_ns >= 100.0 * (1 - 1e-6)


@settings(max_examples=25)
@given(st.floats(0.1, 0.9), st.floats(0.0, 10.0))
def test_wait_grows_with_load(rho, scv):
    lighter, heavier = (solved(load, scv=scv, places=64) for load in (rho, rho + 0.05))
    assert heavier.wait_ns > lighter.wait_ns


def test_overload_latency_is_a_full_ring():
    assert solved(3.0, scv=0.0, places=256).sojourn_ns == pytest.approx(25600.0, rel=0.01)
    assert overload_latency_us(256, 2, 4.0, 5.0) == pytest.approx(133.0)


@pytest.mark.parametrize(
    "wrong", [{"load_mpps": -1.0}, {"service_time_ns": np.nan}, {"service_scv": -0.1},
              {"places": 0}]
)  # fmt: skip
def test_impossible_queues_are_refused(wrong):
    usual = {"load_mpps": 1.0, "service_time_ns": 100.0, "service_scv": 1.0, "places": 8}
    with pytest.raises(BadInputError, match=next(iter(wrong))):
        mg1k(**(usual | wrong))


@pytest.fixture(scope="module")
def latency():
    return fit_latency(split_table())


def test_latency_model_recovers_what_was_planted(latency):
    (path,) = latency.paths
    assert path.ring_packets == pytest.approx(256, rel=0.03)
    assert path.setup_us == pytest.approx(12.0, rel=0.15)
    assert path.stall_wait_us == pytest.approx(4.0, rel=0.25)


def test_latency_of_a_load_not_measured_is_near(latency):
    runs = split_table()
    predicted = latency.predict(runs)
    error = np.abs(predicted.mean_us / runs["latency_mean_us"] - 1.0)
    assert error.median() < 0.1


def test_cores_are_as_busy_as_the_load_asks(latency):
    predicted = latency.predict(cells_table(offered_mpps=[0.5, 1.0, 9.0]))
    assert predicted.cpu_busy_ratio == pytest.approx([0.25, 0.5, 1.0], rel=0.02)


def test_latency_rises_to_the_full_ring_and_stays(latency):
    predicted = latency.predict(cells_table(offered_mpps=[1.0, 1.9, 2.5, 9.0])).mean_us
    assert (np.diff(predicted[:3]) > 0).all()
    assert predicted[2] == predicted[3]


def test_tables_without_the_split_mode_give_no_latency():
    assert fit_latency(lab_table()) is None
    assert fit_latency(lab_table().drop(columns="mode")) is None


def test_a_server_that_never_sleeps_is_busy_by_utilisation_alone():
    load, service = np.array([0.1, 1.0, 1.9]), np.full(3, 500.0)
    assert busy_ratio(load, service) == pytest.approx(utilisation(load, np.full(3, 2.0)))


def test_wakeups_grow_rarer_towards_saturation_and_end_there():
    load = np.linspace(0.5, 2.5, 50)
    rate = wakeups_per_us(load, np.full(50, 500.0), setup_us=15.0)
    assert (np.diff(rate) <= 1e-12).all()
    assert (rate[load >= 2.0] == 0.0).all()


def test_planted_wakeup_time_is_found_again():
    load, service = np.linspace(0.05, 1.9, 30), np.full(30, 500.0)
    busy = busy_ratio(load, service, setup_us=15.0, wake_us=5.7)
    assert fit_wake_us(load, service, busy, setup_us=15.0) == pytest.approx(5.7)


def test_wakeup_rate_is_that_of_simulated_cycles():
    """An M/D/1 server with set-up, packet by packet."""
    rng = np.random.default_rng(11)
    load_mpps, service_us, setup_us = 0.8, 0.5, 4.0
    arrivals_us = np.cumsum(rng.exponential(1.0 / load_mpps, 200_000))
    free_us, wakeups = 0.0, 0
    for at in arrivals_us:
        if at > free_us:
            wakeups += 1
            free_us = at + setup_us
        free_us += service_us
    rate = wakeups_per_us(np.array([load_mpps]), np.array([service_us * 1e3]), setup_us)
    assert wakeups / arrivals_us[-1] == pytest.approx(float(rate[0]), rel=0.02)
