"""What a calibration takes from runs on a host that stalls, and what operations cost."""

import math

import numpy as np
import pytest

from linerate.errors import LinerateError
from linerate.measure.collectors import sharing
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.objects.calibrating import latency as calibrated_latency
from linerate.measure.objects.calibrating.operations import measure_operations
from linerate.measure.objects.calibrating.parts import measure_parts
from linerate.measure.objects.calibrating.rounds import (
    ROUNDS,
    ROUNDS_MORE,
    cost_of,
    in_rounds,
    unstalled_ns,
)
from linerate.measure.trials.bench import Timing
from linerate.programs.costs import LATENCIES, latency_name, latency_percents
from linerate.stretches import STEEPEST

STALLED = {"run_ns": 1_000, "sent": 64}
"""It did not run while packets of the time before came through."""


ALONE, BESIDE = (250.0,) * 40, tuple(300.0 + 2.0 * place for place in range(40))
"""Times of a packet over stretches."""


def report(run_ns, sent, stretches_ns=()):
    return TrafficReport(
        duration_ns=100_000, intended=sent, sent=sent, received=sent, dropped={},
        generator_idle_ns=(0,), generator_run_ns=(run_ns,), generator_wait_ns=(0,), dut_wait_ns=(),
        stretches_ns=stretches_ns,
        dut_thread_ns=(),
    )  # fmt: skip


def test_the_first_run_counts_in_which_the_host_did_not_stall():
    usual, nothing = report(run_ns=100_000, sent=400), report(run_ns=100_000, sent=0)
    left = iter([report(**STALLED), nothing, usual])
    assert unstalled_ns(lambda: next(left)) == 250.0
    assert math.isnan(unstalled_ns(lambda: report(**STALLED)))


def test_the_first_run_counts_that_others_left_alone_for_a_while_or_else_the_quickest():
    disturbed = report(run_ns=100_000, sent=300, stretches_ns=(BESIDE,))
    alone = report(run_ns=100_000, sent=350, stretches_ns=(ALONE,))
    left = iter([disturbed, alone])
    assert unstalled_ns(lambda: next(left)) == 250.0
    quicker = report(run_ns=96_000, sent=300, stretches_ns=(BESIDE,))
    left = iter([disturbed, quicker, disturbed])
    assert unstalled_ns(lambda: next(left)) == 320.0


def test_cores_that_contend_are_measured_once_and_alone_where_that_is_known():
    both = report(run_ns=100_000, sent=300, stretches_ns=(ALONE, BESIDE))
    assert unstalled_ns(lambda: both) == pytest.approx(100_000 / 300)
    alone = report(run_ns=100_000, sent=300, stretches_ns=(ALONE, ALONE))
    assert unstalled_ns(lambda: alone) == 250.0


@pytest.mark.parametrize(
    ("share", "taken_ns"), [(0.0, 300.0), (0.1, 300.0 / math.exp(0.1 * STEEPEST)), (0.5, 250.0)]
)
def test_stretches_count_as_far_as_others_were_seen(monkeypatch, share, taken_ns):
    """Of a run beside which nobody was, all that it took is its own."""
    monkeypatch.setattr(sharing, "share_of", lambda *_: share)
    quick_for_a_while = report(run_ns=90_000, sent=300, stretches_ns=(ALONE,))
    assert unstalled_ns(lambda: quick_for_a_while, [0]) == pytest.approx(taken_ns)


def test_where_nobody_can_look_stretches_count_as_they_are():
    quick_for_a_while = report(run_ns=90_000, sent=300, stretches_ns=(ALONE,))
    assert unstalled_ns(lambda: quick_for_a_while, [1023]) == 250.0


def test_what_the_host_stalled_in_all_rounds_is_measured_again():
    left = {"stalls": [math.nan] * (ROUNDS + 1) + [5.0], "runs": [math.nan, *[3.0] * ROUNDS],
            "never": [math.nan] * (ROUNDS + ROUNDS_MORE)}  # fmt: skip
    turns = []

    def tell(_: str, done: int, of: int | None) -> None:
        turns.append(done / (of or 1))

    taken = in_rounds(
        list(left), lambda site: {site: left[site].pop(0)}, tell
    )  # fmt: skip
    assert {site: len(values) for site, values in taken.items()} == {
        "stalls": ROUNDS + 2, "runs": ROUNDS, "never": ROUNDS + ROUNDS_MORE,
    }  # fmt: skip
    assert taken["stalls"][-1] == 5.0
    assert max(turns) < 1.0
    with pytest.raises(LinerateError, match=f"never: .* in all of {3 * (ROUNDS + ROUNDS_MORE)}"):
        cost_of("never", np.array(taken["never"]))


def test_a_round_of_which_nothing_came_back_is_made_up_for_by_another(monkeypatch):
    rounds = iter([{"serial.tc": 70.0}, None, {"serial.tc": 90.0}])

    def one(_):
        if (found := next(rounds)) is None:
            raise LinerateError("none came back")
        return found.items()

    monkeypatch.setattr(calibrated_latency, "DATAPATHS", ("tc",))
    monkeypatch.setattr(calibrated_latency, "_round", one)
    assert calibrated_latency.measure_latency(lambda *_: None)["serial.tc"].value_ns == 80.0
    rounds = iter([None] * calibrated_latency.ROUNDS)
    with pytest.raises(LinerateError, match="none came back"):
        calibrated_latency.measure_latency(lambda *_: None)


@pytest.mark.root
def test_operations_cost_what_they_do_and_drawing_keys_is_not_among_them():
    costs = measure_operations(lambda *_: None, 1)
    assert costs["operation.hash_lookup"].value_ns > 3 * costs["operation.array_lookup"].value_ns
    assert costs["operation.lpm_lookup"].value_ns > costs["operation.hash_lookup"].value_ns
    assert "operation.key_only" not in costs
    assert all(cost.lower_ns <= cost.value_ns <= cost.upper_ns for cost in costs.values())


@pytest.mark.root
def test_a_clock_costs_more_than_a_call_and_an_instruction_least_of_all():
    costs = {name: cost.value_ns for name, cost in measure_parts(lambda *_: None, 1).items()}
    assert costs["operation.clock"] > costs["operation.redirect"]
    assert 0.0 < costs["operation.instruction"] < costs["operation.division"]
    assert costs["operation.lru_hash_update"] > costs["operation.hash_lookup_again"]
    assert "operation.nothing" not in costs
    assert costs["operation.fib_lookup"] > costs["operation.hash_lookup_again"]
    assert costs["operation.skb_vlan"] > costs["operation.skb_load_bytes"] > 0.0


@pytest.mark.root
def test_latency_is_taken_of_packets_that_come_back(monkeypatch):
    monkeypatch.setattr(calibrated_latency, "ROUNDS", 1)
    monkeypatch.setattr(calibrated_latency, "PERCENTS", (10, 50))
    monkeypatch.setattr(calibrated_latency, "DATAPATHS", ("tc",))
    monkeypatch.setattr(calibrated_latency, "TIMING", Timing(warm_up_seconds=0.0, seconds=0.1))
    costs = calibrated_latency.measure_latency(lambda *_: None)
    assert latency_percents(costs, "tc") == (10, 50)
    assert 50.0 < costs["split.tc"].value_ns < 100_000.0
    for percent in (10, 50):
        p50, mean, p99 = (costs[latency_name(which, "tc", percent)].value_ns for which in LATENCIES)
        assert 500.0 < p50 < p99
        assert p50 / 2 < mean
