"""A newer program beside an older one, and what a build is held to."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.objects import Gate, answer_object, compare, failures_of
from linerate.programs.times import FrameTimes, ProgramTimes

from .planted import asked

NOISE_NS = np.linspace(-1.0, 1.0, 12)


def loads(program_ns, noise_ns=NOISE_NS, verdict="tx"):
    frame = FrameTimes(frame_bytes=64, share=1.0, verdict=verdict, program_ns=program_ns)
    return ProgramTimes(
        program="planted", program_ns=tuple(program_ns + noise_ns),
        yardstick_ns=(100.0,) * len(noise_ns), frames=(frame,),
    )  # fmt: skip


def compared(box, new, old):
    return compare(new, old, answer_object(new, box, asked(queues=1)), box, "old.o")


def test_slower_faster_or_neither_by_the_interval(box):
    old = loads(50.0, NOISE_NS[::-1])
    slower, faster, same = (compared(box, loads(ns), old) for ns in (53.0, 47.0, 50.5))
    assert [one.change for one in (slower, faster, same)] == [
        "slower", "faster", "no difference seen"
    ]  # fmt: skip
    assert slower.difference_ns == pytest.approx(3.0)
    assert slower.lower_ns < slower.difference_ns < slower.upper_ns
    assert str(slower).startswith("slower: +3 ns [")


def test_rates_change_with_the_time_of_the_program(box):
    one = compared(box, loads(150.0), loads(50.0, NOISE_NS[::-1]))
    assert one.old_mpps == pytest.approx(1e3 / 90.64)
    assert one.difference_mpps == pytest.approx(1e3 / 190.64 - 1e3 / 90.64)
    assert one.lower_mpps < one.difference_mpps < one.upper_mpps < 0.0


def test_a_drift_that_both_share_is_no_difference(box):
    drift_ns = np.linspace(0.0, 60.0, 12)
    one = compared(box, loads(50.0, drift_ns + NOISE_NS), loads(50.0, drift_ns - NOISE_NS))
    assert one.change == "no difference seen"
    assert abs(one.difference_ns) < 1.0


def test_of_twelve_pairs_one_may_be_off_by_any_amount(box):
    stall_ns = np.array([1e4, *([0.0] * 11)])
    slower = compared(box, loads(55.0, NOISE_NS), loads(50.0, NOISE_NS + stall_ns))
    assert (slower.change, slower.lower_ns) == ("slower", pytest.approx(5.0))


def test_a_program_is_seldom_called_slower_than_itself(box):
    """Whatever the law of the noise: one of 300 is expected."""
    draws = np.random.default_rng(5)
    answer = answer_object(loads(50.0), box, asked(queues=1))
    calls = []
    for _ in range(300):
        new, old = (loads(50.0, draws.standard_cauchy(12)) for _ in range(2))
        calls.append(compare(new, old, answer, box, "old.o").change)
    assert calls.count("slower") <= 6


def test_packets_that_end_elsewhere_are_named(box):
    one = compared(box, loads(50.0), loads(50.0, verdict="drop"))
    assert one.other_verdicts
    assert str(one).endswith("packets end elsewhere")
    assert failures_of([], [one], Gate()) == ("64 B: packets end elsewhere than with old.o",)


def test_a_budget_holds_the_upper_end_and_stands_for_line_rate(box):
    answer = answer_object(loads(500.0), box, asked(queues=1))
    assert not answer.sustains
    assert failures_of([answer], [], Gate(budget_ns=answer.upper_program_ns)) == ()
    (why,) = failures_of([answer], [], Gate(budget_ns=500.0))
    assert why.startswith("64 B: up to ")
    assert failures_of([answer], [], Gate()) == ("64 B: line rate is not sustained",)


def test_what_is_slower_than_allowed_fails(box):
    new, old = loads(53.0, NOISE_NS), loads(50.0, NOISE_NS)
    answers, comparisons = [answer_object(new, box, asked(queues=1))], [compared(box, new, old)]
    (why,) = failures_of(answers, comparisons, Gate())
    assert why == "64 B: slower than old.o by 3 ns or more; allowed: 0"
    assert failures_of(answers, comparisons, Gate(slower_ns=4.0)) == ()
    assert len(failures_of(answers, comparisons, Gate(slower_ns=4.0, budget_ns=50.0))) == 1


def test_a_latency_is_kept_by_the_upper_end_of_p99_at_the_load_asked_about(box):
    answer = answer_object(loads(50.0), box, asked(queues=1, offered_mpps=1.0))
    upper_us = answer.loads[0].upper_p99_us
    assert answer.loads[0].load_mpps == 1.0
    assert failures_of([answer], [], Gate(latency_us=upper_us)) == ()
    (why,) = failures_of([answer], [], Gate(latency_us=0.9 * upper_us))
    assert why.startswith("64 B: p99 up to ")
    assert "at 1 Mpps" in why


@pytest.mark.parametrize(
    "gate", [{"budget_ns": -1.0}, {"latency_us": -5.0}, {"slower_ns": float("nan")}]
)
def test_a_gate_that_no_program_passes_is_refused(gate):
    with pytest.raises(BadInputError, match=r"not a time that a program may take"):
        Gate(**gate)
