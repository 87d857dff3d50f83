"""Runs of a program on the box correct its answer there: planted errors, so that they are known."""

from math import inf

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.learnt import RunThere

from .planted import asked, times

PROGRAM_NS, BASE_NS, THERE = 100.0, 40.64, 1.5
"""The program as timed here, its base there at 64 B, and how much longer it takes there."""


def there(number, frame_bytes=64, queues=1):
    base_ns = 40.0 + frame_bytes / 100 + 20.0 * (queues - 1)
    run = RunThere(frame_bytes=frame_bytes, queues=queues,
                   packet_ns=base_ns + THERE * PROGRAM_NS)  # fmt: skip
    return (run,) * number


def answer(box, runs=(), **changes):
    question = asked(queues=1, link_gbps=inf, carried=True, runs=runs, **changes)
    return answer_object(times(PROGRAM_NS), box, question)


def test_the_more_runs_there_the_nearer_and_the_surer(box):
    right_ns = BASE_NS + THERE * PROGRAM_NS
    answers = [answer(box, there(number)) for number in (0, 1, 3, 5)]
    errors = [abs(one.packet_ns - right_ns) for one in answers]
    widths = [one.upper_mpps / one.lower_mpps for one in answers]
    assert errors == sorted(errors, reverse=True)
    assert widths == sorted(widths, reverse=True)
    assert errors[0] == pytest.approx((THERE - 1) * PROGRAM_NS)
    assert errors[1] < 0.1 * errors[0]
    assert all(one.lower_mpps < 1e3 / right_ns < one.upper_mpps for one in answers)


@pytest.mark.parametrize(("size", "queues"), [(1518, 1), (64, 2)])
def test_a_run_of_another_size_or_number_of_queues_tells_of_the_program(box, size, queues):
    found = answer(box, there(1, size, queues))
    right_ns = BASE_NS + THERE * PROGRAM_NS
    assert abs(found.packet_ns - right_ns) < 0.2 * (THERE - 1) * PROGRAM_NS
    assert found.program_ns - PROGRAM_NS > 3 * (found.base_ns - BASE_NS) > 0.0


def test_where_the_program_was_timed_there_runs_tell_of_the_base(box):
    here = answer_object(times(PROGRAM_NS), box, asked(queues=1, link_gbps=inf, runs=there(3)))
    assert here.program_ns == pytest.approx(PROGRAM_NS, rel=0.01)
    assert here.base_ns > 1.5 * BASE_NS
    assert here.packet_ns == pytest.approx(BASE_NS + THERE * PROGRAM_NS, rel=0.1)


def test_a_carried_program_is_less_sure_than_one_that_was_timed_there(box):
    carried, timed = answer(box), answer_object(times(PROGRAM_NS), box, asked(link_gbps=inf))
    assert carried.upper_mpps / carried.lower_mpps > 1.3 * timed.upper_mpps / timed.lower_mpps


def test_a_run_that_is_much_too_fast_leaves_a_time(box):
    run = RunThere(frame_bytes=64, queues=1, packet_ns=1.0)
    found = answer(box, (run,) * 5)
    assert found.program_ns == 0.0
    assert 0.0 < found.packet_ns < BASE_NS


def test_runs_with_queues_that_were_not_calibrated_are_held_against_the_base_that_grows(box):
    plain = answer(box, ())
    eight_ns = answer_object(times(plain.program_ns), box, asked(queues=8)).packet_ns
    as_predicted = answer(box, (RunThere(frame_bytes=64, queues=8, packet_ns=eight_ns),))
    assert as_predicted.packet_ns == pytest.approx(plain.packet_ns, rel=0.01)
    slower = answer(box, (RunThere(frame_bytes=64, queues=8, packet_ns=1.2 * eight_ns),))
    assert slower.packet_ns > 1.05 * plain.packet_ns
