"""Quantiles of latency and round trips, on what was planted."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.latency import Quantile, fit_chain_rtt, fit_quantile

PLANTED = Quantile(constants=(2.0, -0.1, 0.4, 0.05), lightest_mpps=0.05, heaviest_mpps=1.5)
SERVICE_NS = 500.0
LOADS_MPPS = np.linspace(0.05, 1.5, 30)


def said_us(law, loads_mpps=LOADS_MPPS):
    return law.latency_us(loads_mpps, np.full(len(loads_mpps), SERVICE_NS))


def test_what_was_planted_is_found_again_whatever_a_few_stalls_say():
    seen_us = said_us(PLANTED)
    seen_us[::6] *= 20.0
    found = fit_quantile(LOADS_MPPS, np.full(30, SERVICE_NS), seen_us)
    assert found is not None
    np.testing.assert_allclose(found.constants, PLANTED.constants, atol=1e-6)
    np.testing.assert_allclose(said_us(found), said_us(PLANTED), rtol=1e-6)


def test_nothing_is_claimed_near_saturation():
    at = said_us(PLANTED, np.array([0.0, 0.5, 1.59, 1.61, 1.9, 3.0]))
    assert np.isnan(at).tolist() == [True, False, False, True, True, True]


def test_beyond_the_loads_that_were_seen_only_the_backlog_moves():
    light_us, lightest_us = said_us(PLANTED, np.array([0.0005, 0.05]))
    assert light_us == pytest.approx(lightest_us, rel=0.02)


def test_few_loads_give_few_constants_and_a_backlog_shortens_nothing():
    for loads, constants in ((3, 1), (4, 2), (6, 3), (8, 4)):
        load = np.repeat(np.geomspace(0.1, 1.2, loads), 2)
        found = fit_quantile(load, np.full(load.size, SERVICE_NS), np.full(load.size, 9.0))
        assert found is not None
        assert len(found.constants) == constants
        assert said_us(found, load) == pytest.approx(9.0, rel=1e-6)
    falling = fit_quantile(LOADS_MPPS, np.full(30, SERVICE_NS), 20.0 - 10.0 * LOADS_MPPS)
    assert falling is not None
    assert falling.constants[2] >= 0.0


def test_three_runs_below_saturation_give_no_quantile():
    load = np.array([0.2, 0.4, 0.6, 1.9, 1.95])
    assert fit_quantile(load, np.full(5, SERVICE_NS), np.full(5, 9.0)) is None


def test_one_length_of_chain_gives_no_line():
    with pytest.raises(BadInputError):
        fit_chain_rtt([0, 3, 3], [90.0, 200.0, 201.0])


def test_each_run_counts_however_often_its_latency_was_seen():
    seen_us = np.repeat([10.0, 20.0, 40.0], [12, 2, 2])
    found = fit_quantile(np.full(16, 1.0), np.full(16, SERVICE_NS), seen_us)
    assert found is not None
    assert found.constants == pytest.approx((np.log(10.0),))
