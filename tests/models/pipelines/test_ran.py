"""What packets took in test runs tells how long each path takes: planted costs, planted runs."""

import numpy as np
import pytest

from linerate.models.pipelines.case import cases_of
from linerate.models.pipelines.ran import held_against

from .test_pipelines import answered, mixes, path

__all__ = ["mixes"]
RAN_NS = (98.0, 100.0, 103.0)


def held(mixes, *paths):
    priced, _ = cases_of("my.spec", paths, mixes)
    return priced, held_against(priced, RAN_NS)


def test_of_one_path_all_cases_are_what_was_measured(mixes):
    (_, priced, _), ran = held(mixes, path(table_exact=4))
    assert priced.packet_ns > 200.0
    for case in ran:
        assert case.packet_ns == pytest.approx(100.0)
        assert sum(case.parts_ns.values()) == pytest.approx(100.0)
        assert case.width == pytest.approx(ran[1].width)
    assert ran[1].priced == (priced.packet_ns, priced.lower_ns, priced.upper_ns)
    assert "100 ns" in str(ran[1])
    assert f"as run here; priced {priced.packet_ns:.4g} ns" in str(ran[1])
    assert ran[0].priced is None


def test_paths_share_the_factor_and_keep_what_the_mean_leaves_open(mixes):
    before, (best, mean, worst) = held(mixes, path(0.75), path(0.25, table_exact=4))
    assert mean.packet_ns == pytest.approx(100.0)
    assert 0.75 * best.packet_ns + 0.25 * worst.packet_ns == pytest.approx(100.0)
    assert worst.packet_ns / best.packet_ns == pytest.approx(
        before[2].packet_ns / before[0].packet_ns
    )
    weights = np.array([0.75 * before[0].packet_ns, 0.25 * before[2].packet_ns]) ** 2
    for case, weight, priced in zip((best, worst), weights, before[::2], strict=True):
        expected = np.hypot(mean.width, priced.width * (1 - weight / weights.sum()) ** 0.5)
        assert case.width == pytest.approx(expected)
    assert mean.width < worst.width


def test_what_no_packet_takes_stays_as_open_as_its_price(mixes):
    before, (_, mean, worst) = held(mixes, path(1.0), path(0.0, table_exact=4))
    assert worst.width == pytest.approx(np.hypot(mean.width, before[2].width))


def test_an_answer_rests_on_the_runs_where_there_are_some(mixes):
    priced, _ = answered(mixes, path(table_exact=4), link_gbps=100.0)
    ran, _ = answered(mixes, path(table_exact=4), link_gbps=100.0, ran_ns=RAN_NS)
    assert ran.rates.predicted_mpps[1] == pytest.approx(10.0)
    assert priced.rates.predicted_mpps[1] == pytest.approx(1e3 / priced.cases[1].packet_ns)
    assert ran.cases[1].to_dict()["priced_ns"] == ran.cases[1].priced
    assert priced.cases[1].to_dict()["priced_ns"] is None


def test_what_has_no_cost_is_known_once_it_ran(mixes):
    strange, _ = answered(mixes, path(mirror=2), link_gbps=100.0, ran_ns=RAN_NS)
    assert strange.cases[1].in_domain
    assert strange.cases[1].width < answered(mixes, path(mirror=2))[0].cases[1].width
