"""Closed forms against textbooks, limits, and each other."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models.queueing import shares
from linerate.models.queueing.chains import stages
from linerate.models.queueing.textbook import ggm, md1, mg1, mmc, paced, transforms, vacations
from linerate.models.queueing.textbook.markov import mm1_sojourn_ns
from linerate.models.queueing.textbook.mg1k import mg1k
from linerate.models.queueing.textbook.mg1k_waits import mg1k_wait_ccdf
from linerate.models.queueing.textbook.quantiles import quantile_ns

RHO = st.floats(0.05, 0.95)


def mean_of(ccdf, upper_ns):
    """Mean wait from the shares beyond, by Simpson's rule."""
    at_ns = np.linspace(0.0, upper_ns, 2_001)
    beyond = ccdf(at_ns)
    return float((beyond[:-2:2] + 4 * beyond[1:-1:2] + beyond[2::2]).sum() * at_ns[1] / 3)


def test_erlang_formulas_are_those_of_the_tables():
    """Gross and Harris (1998): r = 2, c = 3 gives B = 4/19, C = 4/9, Lq = 8/9."""
    assert mmc.erlang_b(2.0, 3) == pytest.approx(4 / 19, rel=1e-12)
    assert mmc.erlang_c(2.0, 3) == pytest.approx(4 / 9, rel=1e-12)
    assert 20e-3 * mmc.mmc_wait_ns(20.0, 100.0, 3) == pytest.approx(8 / 9, rel=1e-12)


@given(RHO)
def test_one_server_of_many_is_mm1(rho):
    load_mpps = 10.0 * rho
    wait_ns = mmc.mmc_wait_ns(load_mpps, 100.0, 1)
    assert wait_ns + 100.0 == pytest.approx(float(mm1_sojourn_ns(load_mpps, 100.0)), rel=1e-9)
    assert mmc.mmc_wait_ccdf(load_mpps, 100.0, 1, 0.0) == pytest.approx(rho, rel=1e-9)


@given(RHO, st.integers(1, 8), st.floats(0.5, 0.999))
def test_a_quantile_of_mmc_inverts_its_distribution(rho, servers, ratio):
    load_mpps = 10.0 * rho * servers
    at_ns = mmc.mmc_wait_quantile_ns(load_mpps, 100.0, servers, ratio)
    if at_ns > 0.0:
        beyond = mmc.mmc_wait_ccdf(load_mpps, 100.0, servers, at_ns)
        assert beyond == pytest.approx(1.0 - ratio, rel=1e-9)


def test_saturated_servers_never_catch_up():
    assert np.isinf(mmc.mmc_wait_ns(40.0, 100.0, 4))
    assert np.isinf(mmc.mmc_wait_quantile_ns(40.0, 100.0, 4, 0.5))
    assert mmc.erlang_c(5.0, 4) == 1.0


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9, 0.99])
def test_waits_of_md1_are_erlangs_first_terms(rho):
    """Crommelin (1932): (1 - rho) e^(rho t) within one service; one term more within two."""

    def within(t):
        return 1.0 - md1.md1_wait_ccdf(10 * rho, 100.0, 100.0 * t)

    assert within(0.0) == pytest.approx(1 - rho, rel=1e-9)
    assert within(0.75) == pytest.approx((1 - rho) * exp(0.75 * rho), rel=1e-9)
    second = (1 - rho) * (exp(1.5 * rho) - 0.5 * rho * exp(0.5 * rho))
    assert within(1.5) == pytest.approx(second, rel=1e-9)


@pytest.mark.parametrize("rho", [0.3, 0.8, 0.95])
def test_the_mean_of_the_md1_distribution_is_pollaczek_khinchines(rho):
    mean_ns = mean_of(lambda ns: md1.md1_wait_ccdf(10 * rho, 100.0, ns), 40e2 / (1 - rho))
    assert mean_ns == pytest.approx(float(mg1.md1_wait_ns(10 * rho, 100.0)), rel=1e-3)


@pytest.mark.parametrize("rho", [0.4, 0.9, 1.0, 1.4])
@pytest.mark.parametrize("places", [1, 2, 9, 40])
def test_the_mean_of_the_finite_md1_distribution_is_that_of_its_chain(rho, places):
    exact = mg1k(load_mpps=10 * rho, service_time_ns=100.0, service_scv=0.0, places=places)
    mean_ns = mean_of(lambda ns: md1.md1k_wait_ccdf(10 * rho, 100.0, places, ns), 100.0 * places)
    assert mean_ns == pytest.approx(exact.wait_ns, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("rho", [0.4, 0.9, 1.4])
@pytest.mark.parametrize("scv", [0.3, 1.0, 4.0])
def test_the_mean_of_the_finite_distribution_is_near_that_of_its_chain(rho, scv):
    settings = {"load_mpps": 10 * rho, "service_time_ns": 100.0, "service_scv": scv, "places": 16}
    mean_ns = mean_of(lambda ns: mg1k_wait_ccdf(beyond_ns=ns, **settings), 2e4)
    assert mean_ns == pytest.approx(mg1k(**settings).wait_ns, rel=1e-2 if scv == 1.0 else 0.2)


@given(RHO, st.floats(1.0, 2000.0))
def test_inversion_gives_the_exponential_wait_of_mm1(rho, at_ns):
    found = transforms.wait_ccdf((transforms.mg1_transform(10 * rho, 100.0, 1.0),), at_ns)
    assert found == pytest.approx(rho * exp(-at_ns * (1 - rho) / 100.0), abs=2e-7)


def test_parts_of_a_wait_add_up():
    """Welch (1964), Fuhrmann and Cooper (1985): set-up and vacations are parts of their own."""
    load_mpps, alone_ns = 4.0, float(mg1.mg1_wait_ns(4.0, 100.0, 0.5))
    own = transforms.mg1_transform(load_mpps, 100.0, 0.5)
    waking = transforms.setup_transform(load_mpps, 300.0, 1.0)
    away = transforms.vacation_transform(300.0, 1.0)
    upper_ns = 2e4
    setup_ns = mean_of(lambda ns: transforms.wait_ccdf((own, waking), ns), upper_ns)
    vacation_ns = mean_of(lambda ns: transforms.wait_ccdf((own, away), ns), upper_ns)
    assert setup_ns == pytest.approx(
        alone_ns + float(vacations.setup_wait_ns(load_mpps, 300.0, 1.0)), rel=1e-3)  # fmt: skip
    assert vacation_ns == pytest.approx(
        alone_ns + float(vacations.vacation_wait_ns(300.0, 1.0)), rel=1e-3)  # fmt: skip


def test_trains_of_one_are_single_packets():
    assert mg1.mg1_burst_wait_ns(5.0, 100.0, 0.7, 1) == mg1.mg1_wait_ns(5.0, 100.0, 0.7)
    assert np.isinf(mg1.mg1_burst_wait_ns(10.0, 100.0, 0.0, 4))


@given(RHO, st.floats(0.0, 4.0))
def test_allen_cunneen_is_exact_for_mg1(rho, scv):
    exact = float(mg1.mg1_wait_ns(10 * rho, 100.0, scv))
    assert ggm.ggm_wait_ns(10 * rho, 100.0, 1, (1.0, scv)) == pytest.approx(exact, rel=1e-9)
    assert ggm.qna_wait_ns(10 * rho, 100.0, 1, (1.0, scv)) == pytest.approx(exact, rel=1e-9)


@given(RHO)
def test_bounds_hold_the_exact_wait_of_dm1(rho):
    exact_ns = paced.gim1_wait_ns(10 * rho, 100.0)
    assert ggm.least_wait_ns(10 * rho, 100.0, 1.0) <= exact_ns * (1 + 1e-9)
    assert exact_ns <= ggm.kingman_wait_ns(10 * rho, 100.0, (0.0, 1.0)) * (1 + 1e-9)


def test_dm1_at_half_load_is_the_root_in_the_tables():
    assert paced.gim1_found_busy_ratio(5.0, 100.0) == pytest.approx(0.20318786997997992, rel=1e-9)


@given(RHO)
def test_exponential_gaps_make_gim1_mm1(rho):
    assert paced.gim1_found_busy_ratio(10 * rho, 100.0, 1.0) == pytest.approx(rho, rel=1e-9)


def test_many_paced_streams_wait_nearly_like_poisson():
    """In the limit of many streams n*D/D/1 is M/D/1."""
    beyond = paced.paced_streams_ccdf(20_000, 25_000.0, [1.0, 3.0])
    poisson = md1.md1_wait_ccdf(8.0, 100.0, [100.0, 300.0])
    np.testing.assert_allclose(beyond, poisson, rtol=5e-3)


@pytest.mark.parametrize(("streams", "period_services"), [(3, 4.0), (16, 20.0), (64, 70.0)])
def test_work_of_paced_streams_is_that_of_drawn_phases(streams, period_services):
    """What waits now is the most by which the last k packets exceed the time since the k-th."""
    ages = np.sort(np.random.default_rng(2).random((40_000, streams)) * period_services, axis=1)
    work = np.maximum((np.arange(1, streams + 1) - ages).max(axis=1), 0.0)
    beyond = np.asarray([0.0, 1.0, 2.5, np.quantile(work, 0.99)])
    seen = (work > beyond[:, None]).mean(axis=1)
    predicted = paced.paced_streams_ccdf(streams, period_services, beyond)
    np.testing.assert_allclose(predicted, seen, rtol=0.1, atol=5e-3)


def test_a_quantile_of_a_distribution_is_found():
    found = quantile_ns(lambda ns: exp(-ns / 70.0), [0.5, 0.999], 1.0)
    np.testing.assert_allclose(found, [70 * log(2), 70 * log(1000)], rtol=1e-7)


@pytest.mark.parametrize(("flows", "queues"), [(3, 2), (16, 4), (300, 8)])
def test_the_busiest_queue_is_that_of_drawn_hashes(flows, queues):
    rng = np.random.default_rng(3)
    drawn = [shares.hashed_shares(np.ones(flows), queues, rng).max() for _ in range(4_000)]
    assert shares.busiest_share(flows, queues) == pytest.approx(np.mean(drawn), rel=0.02)


def test_queues_share_evenly_in_the_limit_of_many_flows():
    assert shares.busiest_share(1500, 4) == pytest.approx(0.25, rel=0.1)


@given(st.floats(0.1, 50.0), st.lists(st.floats(10.0, 500.0), min_size=1, max_size=6))
def test_a_shared_core_works_no_more_than_all_of_the_time(offered_mpps, services_ns):
    turns = [1e4 / service_ns for service_ns in services_ns]
    behind = stages.passed_mpps(offered_mpps, services_ns, turns)
    used = float(behind @ np.asarray(services_ns)) * 1e-3
    assert used == pytest.approx(min(1.0, offered_mpps * sum(services_ns) * 1e-3), rel=1e-6)
    assert (np.diff(behind) <= 1e-12).all()


def test_a_hub_saturates_before_the_functions_do():
    assert stages.star_sojourn_ns(5.0, 100.0, 3, 50.0) == np.inf
    assert stages.direct_sojourn_ns(5.0, 100.0, 3) < np.inf


@pytest.mark.parametrize("ask", [
    lambda: md1.md1_wait_ccdf(10.0, 100.0, 0.0),
    lambda: transforms.mg1_transform(10.0, 100.0, 1.0),
    lambda: paced.gim1_found_busy_ratio(10.0, 100.0),
    lambda: paced.paced_streams_ccdf(3, 2.0, 0.0),
    lambda: quantile_ns(lambda ns: 0.0, 99.0, 1.0),
    lambda: shares.busiest_share(0, 2),
    lambda: mmc.erlang_b(1.0, 0),
])  # fmt: skip
def test_what_has_no_steady_state_is_refused(ask):
    with pytest.raises(BadInputError):
        ask()
