"""Costs of operations: planted ones are found, and what is not additive is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models.operations.additivity import TOLERANCE_RATIO, additivity_of
from linerate.models.operations.costs import added_ns, operation_cost

NONE_NS, READ_NS, ADD_NS = 40.0, 9.0, 3.5


def loads(ns, seed=0, noise=0.01):
    return ns * np.exp(np.random.default_rng(seed).normal(0.0, noise, 7))


def rng():
    return np.random.default_rng(1)


def planted(interaction_ns=0.0, counts=(10, 50)):
    """Packets of two kinds alone and mixed, which cost beside their sum so much a pair."""
    table = {(): loads(NONE_NS)}
    for seed, count in enumerate(counts, start=1):
        table |= {
            (("read", count),): loads(NONE_NS + READ_NS * count, seed),
            (("add", count),): loads(NONE_NS + ADD_NS * count, 10 + seed),
            (("read", count), ("add", count)): loads(
                NONE_NS + (READ_NS + ADD_NS + interaction_ns) * count, 20 + seed
            ),
        }
    return table


def test_slope_is_the_planted_cost_and_lies_in_its_interval():
    cost = operation_cost(
        loads(NONE_NS), {n: loads(NONE_NS + READ_NS * n, n) for n in (10, 50, 200)}, rng()
    )
    assert cost.ns.value == pytest.approx(READ_NS, rel=0.02)
    assert cost.ns.lower <= READ_NS <= cost.ns.upper
    assert cost.monotone
    assert cost.spread_ratio < 1.1


@pytest.mark.parametrize("setup_ns", [46.0, -20.0])
def test_what_a_kind_costs_once_is_told_from_what_each_costs(setup_ns):
    counted = {n: loads(NONE_NS + setup_ns + 6.0 * n, n) for n in (10, 30, 100)}
    cost = operation_cost(loads(NONE_NS), counted, rng())
    assert cost.setup_ns is not None
    assert cost.setup_ns.lower < setup_ns < cost.setup_ns.upper
    assert cost.ns.value == pytest.approx(6.0, rel=0.05)


@pytest.mark.parametrize("counts", [(10, 100), (10, 50, 200)])
def test_a_set_up_is_not_told_without_need(counts):
    """Two counts cannot show one, and proportional ones have none."""
    setup_ns = 20.0 if len(counts) == 2 else 0.0
    counted = {n: loads(NONE_NS + setup_ns + 6.0 * n, n) for n in counts}
    assert operation_cost(loads(NONE_NS), counted, rng()).setup_ns is None


def test_a_cost_that_grows_with_the_count_is_not_called_proportional():
    cost = operation_cost(loads(NONE_NS), {10: loads(48.0, 1), 100: loads(400.0, 2)}, rng())
    assert cost.monotone
    assert cost.spread_ratio > 2.0


def test_a_larger_count_that_takes_less_time_is_told():
    cost = operation_cost(loads(NONE_NS), {10: loads(90.0, 1), 50: loads(60.0, 2)}, rng())
    assert not cost.monotone


def test_a_step_down_within_the_noise_is_not_told():
    cost = operation_cost(loads(NONE_NS), {1: loads(50.0, 1, 0.1), 2: loads(49.9, 2, 0.1)}, rng())
    assert cost.monotone


@given(st.floats(0.1, 100.0), st.integers(1, 500))
def test_without_noise_a_proportional_cost_is_exact(each_ns, count):
    cost = operation_cost(
        np.full(3, 40.0), {n: np.full(3, 40.0 + each_ns * n) for n in (count, 2 * count)}, rng()
    )
    for found in (cost.ns.value, cost.ns.lower, cost.ns.upper, *cost.each_ns):
        assert found == pytest.approx(each_ns, rel=1e-6)


def test_more_noise_makes_a_wider_interval():
    widths = []
    for noise in (0.005, 0.05):
        cost = operation_cost(loads(40.0, 1, noise), {10: loads(140.0, 2, noise)}, rng())
        widths.append(cost.ns.upper - cost.ns.lower)
    assert widths[1] > 3.0 * widths[0]


def test_a_cost_needs_packets_with_and_without():
    for none, counted in ((np.array([]), {1: loads(50.0)}), (loads(40.0), {})):
        with pytest.raises(BadInputError, match="difference to a packet without"):
            operation_cost(none, counted, rng())


def test_between_counts_the_cost_is_on_a_straight_line():
    curve = np.array([[10.0], [40.0]])
    assert [float(added_ns(n, (10, 20), curve)[0]) for n in (0, 1, 10, 15, 20)] == [
        0.0, 1.0, 10.0, 25.0, 40.0,
    ]  # fmt: skip


def test_what_adds_up_has_no_interaction():
    found = additivity_of(planted(), rng())
    assert len(found.mixes) == 2
    assert all(mix.additive for mix in found.mixes)
    assert found.interactions == ()


@pytest.mark.parametrize("interaction_ns", [-3.0, 5.0])
def test_interaction_is_the_planted_one_and_explains_the_mix_it_has_not_seen(interaction_ns):
    found = additivity_of(planted(interaction_ns), rng())
    assert not any(mix.additive for mix in found.mixes)
    (interaction,) = found.interactions
    assert interaction.kinds == ("add", "read")
    assert interaction.mixes == 2
    assert interaction.ns.value == pytest.approx(interaction_ns, rel=0.1)
    assert interaction.ns.lower < interaction_ns < interaction.ns.upper
    assert all(abs(mix.modelled_error_ratio) < TOLERANCE_RATIO for mix in found.mixes)


def test_a_single_mix_cannot_confirm_its_own_interaction():
    found = additivity_of(planted(5.0, counts=(50,)), rng())
    assert np.isnan(found.mixes[0].modelled_error_ratio)
    assert found.interactions[0].mixes == 1


def test_a_mix_beyond_what_its_parts_were_measured_at_is_not_judged():
    table = planted(counts=(10,)) | {(("read", 20), ("add", 10)): loads(300.0)}
    assert [mix.operations for mix in additivity_of(table, rng()).mixes] == [
        (("add", 10), ("read", 10))
    ]


def test_without_a_packet_of_none_nothing_is_compared():
    table = {operations: ns for operations, ns in planted().items() if operations}
    assert additivity_of(table, rng()).mixes == ()
