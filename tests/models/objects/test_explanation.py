"""A program's time by what it calls, at planted costs."""

from dataclasses import replace

import pytest

from linerate.models.objects import answer_object, explain
from linerate.programs.code import HelperCall, ProgramCode

from .planted import asked, cost, times

LOOKUP = HelperCall(
    helper="map_lookup_elem", map_name="flows", map_type="hash", entries_max=64, line=7,
    text="flow = lookup();",
)  # fmt: skip
MOVE = HelperCall(helper="xdp_adjust_head", line=9)
WHY = "more than 60000 instructions"
CLOCK = HelperCall(helper="ktime_get_ns")


def explained(box, program_ns, *calls):
    costs = {"operation.hash_lookup": cost(30.0), "operation.header_push_pop": cost(14.0)}
    priced = replace(box, costs={**box.costs, **costs})
    answer = answer_object(times(program_ns=program_ns), priced, asked(queues=1))
    code = ProgramCode(program="planted", instructions=40, loops=0, calls=calls)
    return explain(code, answer, priced, WHY)


def test_calls_are_priced_and_the_rest_is_what_remains(box):
    found = explained(box, 60.0, CLOCK, MOVE, LOOKUP)
    assert [part.cost_ns for part in found.parts] == [30.0, 7.0, None]
    assert found.known_ns == pytest.approx(37.0)
    assert found.rest_ns == pytest.approx(23.0)
    text = str(found)
    assert f"The packets were not followed: {WHY}. Each call of the code once" in text
    assert "line 7: map_lookup_elem flows (hash, 64) 30 ns; without it" in text
    assert "no line: ktime_get_ns not calibrated" in text
    assert "the rest: 23 ns, of instructions and what was not calibrated" in text


def test_what_a_call_less_would_bring_follows_from_its_cost(box):
    (part,) = explained(box, 60.0, LOOKUP).parts
    assert part.without_mpps == pytest.approx(1e3 / (40.64 + 30.0))


def test_a_sum_above_what_was_measured_says_that_calls_may_not_be_taken(box):
    found = explained(box, 20.0, LOOKUP)
    assert found.rest_ns == pytest.approx(-10.0)
    assert "more than was measured: some may not be on the way of these" in str(found)
    assert found.parts[0].without_mpps == pytest.approx(min(1e3 / 40.64, 14.88), rel=1e-3)


def test_nothing_is_priced_where_no_operation_was_calibrated(box):
    answer = answer_object(times(), box, asked(queues=1))
    code = ProgramCode(program="planted", instructions=40, loops=1, calls=(LOOKUP,))
    found = explain(code, answer, box, WHY)
    assert (found.known_ns, found.parts[0].cost_ns) == (0.0, None)
    assert found.to_dict()["rest_ns"] == pytest.approx(20.0)
