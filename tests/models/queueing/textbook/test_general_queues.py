"""Queues of gamma gaps and services: against closed forms, and against packets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models.queueing import (
    erlang_c,
    gg1_waits,
    ggm_waits,
    gim1_wait_ccdf,
    gim1_wait_ns,
    gimm_waiting,
    kingman_wait_ns,
    md1_wait_ccdf,
    mg1_wait_ns,
    mmc_wait_ns,
)
from linerate.models.queueing.simulation import Traffic
from linerate.models.queueing.simulation.station import fifo
from linerate.models.queueing.simulation.traffic import unit_draws

pytestmark = pytest.mark.sampled

SERVICE_NS = 100.0
RATIOS = (0.5, 0.99, 0.999)


def simulated_waits_ns(load_mpps, servers, scvs, packets=2_000_000):
    rng = np.random.default_rng(7)
    arrivals_ns = Traffic(load_mpps=load_mpps, packets=packets, gap_scv=scvs[0]).arrivals_ns(rng)
    services_ns = SERVICE_NS * unit_draws(scvs[1], packets, rng)
    waits_ns = fifo(arrivals_ns, services_ns, servers, packets) - services_ns
    return waits_ns[packets // 10 :]


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 0.97), st.floats(0.0, 4.0))
def test_poisson_arrivals_wait_as_pollaczek_and_khinchine_say(rho, scv):
    exact_ns = float(mg1_wait_ns(10 * rho, SERVICE_NS, scv))
    assert gg1_waits(10 * rho, SERVICE_NS, (1.0, scv)).mean_ns == pytest.approx(exact_ns, rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 0.97), st.floats(0.0, 4.0))
def test_exponential_services_wait_as_the_root_of_gim1_says(rho, scv):
    waits = gg1_waits(10 * rho, SERVICE_NS, (scv, 1.0))
    exact_ns = gim1_wait_ns(10 * rho, SERVICE_NS, scv)
    assert waits.mean_ns == pytest.approx(exact_ns, rel=2e-3, abs=1e-3 * SERVICE_NS)
    waiting = float(gim1_wait_ccdf(10 * rho, SERVICE_NS, scv, 0.0))
    beyond = gim1_wait_ccdf(10 * rho, SERVICE_NS, scv, waits.quantile_ns(1.0 - 1e-2 * waiting))
    assert beyond == pytest.approx(1e-2 * waiting, rel=0.06)


@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_quantiles_of_constant_service_are_those_of_franx(rho):
    at_ns = gg1_waits(10 * rho, SERVICE_NS, (1.0, 0.0)).quantile_ns([0.9, 0.99, 0.999])
    beyond = md1_wait_ccdf(10 * rho, SERVICE_NS, at_ns)
    np.testing.assert_allclose(beyond, [0.1, 0.01, 0.001], rtol=0.03)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 0.95), st.floats(0.0, 4.0), st.floats(0.0, 4.0))
def test_no_wait_exceeds_kingmans_bound(rho, gap_scv, scv):
    mean_ns = gg1_waits(10 * rho, SERVICE_NS, (gap_scv, scv)).mean_ns
    bound_ns = float(kingman_wait_ns(10 * rho, SERVICE_NS, (gap_scv, scv)))
    assert 0.0 <= mean_ns <= bound_ns * 1.001 + 1e-3 * SERVICE_NS


def test_paced_packets_never_wait_for_a_server_that_keeps_pace():
    waits = gg1_waits(9.9, SERVICE_NS, (0.0, 0.0))
    assert waits.mean_ns == waits.waiting_ratio == 0.0


@pytest.mark.parametrize("scvs", [(0.0, 0.5), (0.25, 0.0), (0.5, 2.0), (2.0, 0.0), (4.0, 0.5),
                                  (4.0, 4.0)])  # fmt: skip
@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_waits_of_one_server_are_those_of_packets(rho, scvs):
    seen_ns = simulated_waits_ns(10 * rho, 1, scvs)
    waits = gg1_waits(10 * rho, SERVICE_NS, scvs)
    assert waits.mean_ns + SERVICE_NS == pytest.approx(seen_ns.mean() + SERVICE_NS, rel=0.03)
    np.testing.assert_allclose(waits.quantile_ns(RATIOS) + SERVICE_NS,
                               np.quantile(seen_ns, RATIOS) + SERVICE_NS, rtol=0.08)  # fmt: skip


@given(st.floats(0.05, 0.95), st.integers(1, 16))
def test_exponential_gaps_before_m_servers_wait_as_erlang_says(rho, servers):
    load_mpps = 10 * rho * servers
    share, wait_ns = gimm_waiting(load_mpps, SERVICE_NS, servers, 1.0)
    assert share == pytest.approx(float(erlang_c(rho * servers, servers)), rel=1e-6)
    assert share * wait_ns == pytest.approx(
        float(mmc_wait_ns(load_mpps, SERVICE_NS, servers)), rel=1e-6)  # fmt: skip


def test_a_term_that_has_no_value_is_taken_at_its_limit():
    """Gross and Harris (1998): two erlangs on three servers, C = 4/9."""
    share, wait_ns = gimm_waiting(20.0, SERVICE_NS, 3, 1.0)
    assert share == pytest.approx(4 / 9, rel=1e-8)
    assert wait_ns == pytest.approx(100.0, rel=1e-8)


@given(st.floats(0.05, 0.95), st.floats(0.0, 4.0))
def test_one_server_of_many_is_gim1(rho, gap_scv):
    share, wait_ns = gimm_waiting(10 * rho, SERVICE_NS, 1, gap_scv)
    exact_ns = gim1_wait_ns(10 * rho, SERVICE_NS, gap_scv)
    assert share * wait_ns == pytest.approx(exact_ns, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("scvs", [(0.0, 0.5), (0.0, 1.0), (0.25, 0.0), (0.25, 0.5), (0.5, 2.0),
                                  (2.0, 0.5), (2.0, 1.0), (4.0, 0.5), (4.0, 1.0)])  # fmt: skip
@pytest.mark.parametrize("rho", [0.5, 0.8])
@pytest.mark.parametrize("servers", [2, 4])
def test_waits_of_several_servers_are_those_of_packets(rho, scvs, servers):
    seen_ns = simulated_waits_ns(10 * rho * servers, servers, scvs)
    waits = ggm_waits(10 * rho * servers, SERVICE_NS, servers, scvs)
    assert waits.mean_ns + SERVICE_NS == pytest.approx(seen_ns.mean() + SERVICE_NS, rel=0.03)
    if rho > 0.5:
        assert waits.quantile_ns(0.99) == pytest.approx(np.quantile(seen_ns, 0.99), rel=0.10)


@pytest.mark.parametrize("asked", [(10.0, (1.0, 1.0)), (0.0, (1.0, 1.0)), (1.0, (-0.1, 1.0)),
                                   (9.99999, (4.0, 4.0))])  # fmt: skip
def test_what_has_no_steady_state_is_refused(asked):
    with pytest.raises(BadInputError):
        gg1_waits(asked[0], SERVICE_NS, asked[1])
