"""What other cores add to operations on entries of all: planted, found again, refused unseen."""

import numpy as np
import pytest

from linerate.models.operations.model import Mixes
from linerate.models.operations.rulesets import ruleset_work
from linerate.models.operations.work import Work

BASE_NS, ADD_NS, SHARED_NS, LOOKUP_NS = 200.0, 30.0, 9.0, 35.0


def work(adds=0, lookups=0, queues=1):
    steps = (("hash_lookup", lookups), ("shared_hash_add", adds))
    return Work(
        scope="xdp_native", base="operations", steps=tuple(pair for pair in steps if pair[1]),
        settings=(("queues", str(queues)),) if queues > 1 else (),
    )  # fmt: skip


def takes_ns(adds=0, lookups=0, queues=1):
    return BASE_NS + LOOKUP_NS * lookups + adds * (ADD_NS + SHARED_NS * (queues - 1))


NUMBERS = [(0, 0), (5, 0), (15, 0), (50, 0), (0, 10), (0, 20), (5, 20)]
ASKED = [(*numbers, queues) for numbers in NUMBERS for queues in (1, 2)]


@pytest.fixture
def planted():
    times_ns = np.array([takes_ns(*each) for each in ASKED])
    return Mixes.fit([work(*each) for each in ASKED], times_ns)


def test_what_another_core_adds_to_each_operation_is_found(planted):
    (found,) = [each.value for each in planted.parameters if ": shared " in each.name]
    assert found == pytest.approx(SHARED_NS, rel=0.05)
    for adds, lookups, queues in [(30, 0, 2), (15, 20, 2), (30, 0, 1)]:
        found = planted.time_ns(work(adds, lookups, queues))[0]
        assert found == pytest.approx(takes_ns(adds, lookups, queues), rel=0.02)


def test_entries_of_one_core_cost_as_much_on_two(planted):
    one, two = (planted.time_ns(work(0, 15, queues))[0] for queues in (1, 2))
    assert two == pytest.approx(one, rel=0.01)


def test_more_cores_than_were_measured_are_outside(planted):
    assert planted.outside(work(15, 0, 2)) == 0.0
    assert planted.outside(work(15, 0, 4)) > 0.0
    assert planted.time_ns(work(50, 0, 4))[0] == pytest.approx(takes_ns(50, 0, 4), rel=0.05)


def test_two_cores_are_refused_where_no_run_shows_what_they_add():
    alone = [each for each in ASKED if each[2] == 1]
    fitted = Mixes.fit([work(*each) for each in alone], np.array([takes_ns(*n) for n in alone]))
    assert fitted.unknown(work(15)) == ""
    assert "shared shared_hash_add" in fitted.unknown(work(15, queues=2))


@pytest.mark.parametrize("level", ["", "0", "-2", "x", "1e9", "9" * 40])
def test_a_strange_number_of_queues_is_one(level):
    assert Work(scope="s", base="b", settings=(("queues", level),)).queues == 1


LIMIT_NS, RULE_NS = 25.0, 4.0


def limited(limits=0, rules=0, queues=1):
    steps = (("receive", 1), ("limit", limits), ("rule", limits + rules))
    return ruleset_work("nftables", tuple(pair for pair in steps if pair[1]), queues)


def limited_ns(limits=0, rules=0, queues=1):
    return BASE_NS + RULE_NS * (limits + rules) + limits * (LIMIT_NS + SHARED_NS * (queues - 1))


def test_cores_wait_at_a_limit_and_not_at_other_rules():
    numbers = [(0, 0), (5, 0), (20, 0), (0, 10), (0, 100), (5, 50)]
    asked = [(*each, queues) for each in numbers for queues in (1, 2)]
    fitted = Mixes.fit([limited(*each) for each in asked],
                       np.array([limited_ns(*each) for each in asked]))  # fmt: skip
    assert fitted.knows_cores("nftables")
    assert not fitted.knows_cores("iptables")
    assert fitted.shared_ns(limited(10)) == pytest.approx(10 * SHARED_NS, rel=0.05)
    assert fitted.shared_ns(limited(0, 40)) == 0.0
    assert fitted.time_ns(limited(10, 0, 2))[0] == pytest.approx(limited_ns(10, 0, 2), rel=0.02)


def test_of_costs_of_one_core_nothing_is_known_to_be_shared():
    numbers = [(0, 0), (5, 0), (20, 0), (0, 10)]
    fitted = Mixes.fit([limited(*each) for each in numbers],
                       np.array([limited_ns(*each) for each in numbers]))  # fmt: skip
    assert not fitted.knows_cores("nftables")
    assert fitted.shared_ns(limited(10)) == 0.0
