"""Costs are carried to another machine: planted factors are found, what was not timed is unsure."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.operations import MixPredictor, Work
from linerate.models.operations.carried import WITHIN, CarriedMixes, TimedWork

BASE_NS = 300.0
EACH_NS = {"rule": 3.0, "compare_network": 6.0, "set_lookup": 30.0, "jump": 16.0, "count": 8.0}
SPREAD = tuple(0.001 * n for n in range(-10, 11))


def work(scope: str = "nftables", **steps: int):
    return Work(scope=scope, base="bare", steps=tuple(sorted(steps.items())))


def of_kind(kind, times):
    return Work(scope="nftables", base="bare", steps=((kind, times),))


def took_ns(one, factors):
    own = {"way": 1.0, **factors}
    return own["way"] * BASE_NS + sum(own.get(kind, own["way"]) * EACH_NS[kind] * times
                                      for kind, times in one.steps)  # fmt: skip


def timed(one, factors, error=0.01):
    return TimedWork(work=one, value_ns=took_ns(one, factors), error=error)


@pytest.fixture(scope="module")
def lender():
    """Costs of a machine on which each operation takes what was planted."""
    works = [work(), *(of_kind(kind, n) for kind in EACH_NS for n in (1, 10, 100))]
    return MixPredictor(works=tuple(works), packet_ns=tuple(took_ns(one, {}) for one in works),
                        scores=SPREAD, mix_scores=SPREAD, number_scores=SPREAD)  # fmt: skip


ASKED = work(rule=40, compare_network=40, set_lookup=10)
PROBES = (work(), work(rule=100), work(rule=100, compare_network=100), work(set_lookup=50))


def carried(lender, probes, factors, **more):
    return CarriedMixes.of(lender, "nftables", [timed(one, factors, **more) for one in probes])


@pytest.mark.parametrize("way", [0.5, 1.0, 1.9])
def test_a_planted_factor_of_the_whole_machine_is_recovered(lender, way):
    factors = dict.fromkeys((*EACH_NS, "way"), way)
    found = carried(lender, PROBES, factors)
    assert found.time_of(ASKED)[0] == pytest.approx(took_ns(ASKED, factors), rel=0.04)
    assert found.factors["way"] == pytest.approx(way, rel=0.06)


def test_planted_factors_of_the_way_and_of_rules_are_recovered_apart(lender):
    factors = {"way": 0.7, "rule": 1.4, "compare_network": 1.4, "set_lookup": 1.1}
    found = carried(lender, PROBES, factors)
    assert found.factors["way"] == pytest.approx(0.7, rel=0.05)
    for kind in ("rule", "compare_network"):
        assert found.factors[kind] == pytest.approx(1.4, rel=0.25)
    before, after = (abs(log(each.time_of(ASKED)[0] / took_ns(ASKED, factors)))
                     for each in (lender, found))  # fmt: skip
    assert after < 0.05 < before


def test_what_no_packet_had_moves_with_the_machine_and_stays_less_sure(lender):
    factors = dict.fromkeys((*EACH_NS, "way"), 2.0)
    found = carried(lender, PROBES, factors)
    assert 1.4 < found.factors["jump"] < 2.1
    assert found.borrowed["jump"] > 0.3 > found.borrowed["set_lookup"]
    seen, unseen = (found.time_of(of_kind(kind, 100))[1] for kind in ("set_lookup", "jump"))
    assert unseen > 2.0 * seen


def test_one_more_load_lies_as_far_off_as_those_that_were_timed(lender):
    noisy = replace(lender, load_reach=0.3)
    random, deviation = np.random.default_rng(5), 0.04
    ranges = np.ptp(random.normal(0.0, deviation, (400, 3)), axis=1)
    each = [replace(timed(work(rule=100), {}), error=0.5 * one) for one in ranges]
    found = CarriedMixes.of(noisy, "nftables", each)
    assert found.load_reach == pytest.approx(1.645 * deviation, rel=0.05)
    assert carried(noisy, (), {}).load_reach == 0.3


def test_without_a_timed_packet_costs_stay_and_the_interval_widens(lender):
    found = carried(lender, (), {})
    time_ns, width = found.time_of(ASKED)
    expected_ns, before = lender.time_of(ASKED)
    assert time_ns == pytest.approx(expected_ns)
    assert width > before + 0.5
    assert set(found.borrowed.values()) == {1.0}
    assert carried(lender, PROBES[:1], {}).time_of(ASKED)[1] < width


def test_an_unsteady_time_counts_for_less(lender):
    factors = dict.fromkeys((*EACH_NS, "way"), 2.0)
    sure, unsure = (carried(lender, PROBES, factors, error=error) for error in (0.01, 0.5))
    assert unsure.time_of(ASKED)[1] > sure.time_of(ASKED)[1]
    assert unsure.borrowed["way"] > sure.borrowed["way"]


def test_one_time_that_is_far_off_does_not_decide(lender):
    probes = [timed(one, {}) for one in (*PROBES, work(rule=50), work(count=100))]
    stalled = TimedWork(work=work(rule=80), value_ns=4.0 * took_ns(work(rule=80), {}), error=0.01)
    found = CarriedMixes.of(lender, "nftables", [*probes, stalled])
    assert found.time_of(ASKED)[0] == pytest.approx(took_ns(ASKED, {}), rel=0.15)


def test_no_operation_gets_a_cost_below_0(lender):
    fast = TimedWork(work=work(rule=100), value_ns=BASE_NS * 0.5, error=0.01)
    found = CarriedMixes.of(lender, "nftables", [timed(work(), {}), fast])
    bare_ns, _ = found.time_of(work())
    assert found.time_of(work(rule=100))[0] >= bare_ns - 1e-6
    assert np.all(np.diff([found.time_of(work(rule=n))[0] for n in (1, 10, 50, 200)]) >= -1e-6)


@pytest.mark.parametrize("wrong", [work("swx", rule=1), work(no_such=1)])
def test_times_of_what_has_no_cost_are_refused(lender, wrong):
    with pytest.raises(BadInputError, match="nothing is known to carry"):
        CarriedMixes.of(lender, "nftables", [TimedWork(work=wrong, value_ns=1.0, error=0.1)])


def test_factors_within_a_class_leave_pipelines_open_and_rules_not(lender):
    """Of rules each kind is a class of its own."""
    works = [work("swx"), work("swx", add=1), work("swx", add=4), work("swx", table_lpm=1),
             work("swx", table_lpm=4)]  # fmt: skip
    times_ns = (40.0, 41.0, 44.0, 70.0, 160.0)
    here = MixPredictor(works=tuple(works), packet_ns=times_ns, scores=SPREAD, mix_scores=SPREAD,
                        number_scores=SPREAD)  # fmt: skip
    same = [TimedWork(work=one, value_ns=ns, error=0.001)
            for one, ns in zip(works, times_ns, strict=True)]  # fmt: skip
    _, pipeline = CarriedMixes.of(here, "swx", same).time_of(works[-1])
    _, rules = carried(lender, PROBES, {}, error=0.001).time_of(PROBES[-1])
    assert pipeline > 1.645 * WITHIN * 120.0 / 160.0
    assert rules < 0.5 * pipeline
