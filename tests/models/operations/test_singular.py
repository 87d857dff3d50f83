"""Runs that cannot separate costs: what was seen is answered, what they leave open is refused."""

from contextlib import suppress

import pytest

import linerate as lr
from linerate.errors import BadInputError
from linerate.models.design.planned import plan_runs

from .planted import table

TOGETHER = [({"add": n, "hash_crc32": n}, 40.0 + 7.0 * n) for n in (5, 20, 80)]
DESIGNS = {
    "two kinds always in one ratio": [({}, 40.0), *TOGETHER],
    "the same without the empty packet": TOGETHER,
    "one cell": [({"add": 5}, 60.0)],
    "one cell twice": [({"add": 5}, 60.0), ({"add": 5}, 60.0)],
    "a kind with a setting of its own": [
        ({}, 40.0, {"flows": 64}), ({"add": 5}, 60.0, {"flows": 128}),
    ],
    "numbers that cost less than none": [({"add": n}, 100.0 - n) for n in (1, 50, 90)],
}  # fmt: skip


@pytest.fixture(params=DESIGNS, scope="module")
def design(request):
    """Give packets and their runs."""
    return DESIGNS[request.param], table(DESIGNS[request.param])


def test_of_what_was_measured_the_interval_holds_the_rate_or_there_is_none(design):
    packets, runs = design
    model = lr.fit(runs, progress=False)
    answered = 0
    for operations, packet_ns, *settings in packets:
        with suppress(BadInputError):
            found = model.predict("swx", "forward", operations=operations, frame_bytes=64,
                                  queues=1, **(settings[0] if settings else {}))  # fmt: skip
            rate_mpps = min(1e3 / packet_ns, found.line_rate_mpps)
            assert found.lower_mpps <= rate_mpps <= found.upper_mpps
            answered += 1
    assert answered


def test_what_they_cannot_separate_is_refused_by_its_name(design):
    model = lr.fit(design[1], progress=False)
    with pytest.raises(BadInputError, match=r"add: the other runs cannot separate .* allowed: swx"):
        model.predict("swx", "forward", operations={"add": 10}, frame_bytes=64, queues=1)


def test_they_are_held_out_and_planned_among_without_a_traceback(design):
    assert str(lr.validate(design[1], progress=False)).startswith("Errors")
    assert len(plan_runs(3, None, design[1]).table) == 3
