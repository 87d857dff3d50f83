"""What an answer about a user's object says beside its numbers."""

from dataclasses import replace

import pytest
from tests.models.objects.planted import times

from linerate.errors import DeviceFailedError
from linerate.face.fits.notes import notes_of_empty, notes_of_others, why_not
from linerate.programs.count import ProgramCount


@pytest.mark.parametrize("ratio", [float("nan"), 0.0, 0.1])
def test_few_looks_at_others_or_none_are_not_worth_a_note(ratio):
    assert notes_of_others([replace(times(), others_ratio=ratio)]) == []


def test_many_looks_that_saw_others_are_said_over_all_traffics():
    seen = [replace(times(), others_ratio=ratio) for ratio in (0.5, 0.74)]
    assert notes_of_others(seen)[0].startswith("others used these cores, too, at 62% of looks")


def test_what_a_tool_says_in_several_lines_is_said_in_one():
    error = DeviceFailedError("nft: line 39:\n  no such match.")
    assert why_not(error) == "not run, for it would not start: nft: line 39: no such match"


def test_of_packets_that_were_not_followed_the_first_empty_maps_are_named():
    (note,) = notes_of_empty([f"m{number}" for number in range(10)], ())
    assert "m0, m1, m2, m3, m4, m5, m6, m7 and 2 more;" in note


def test_an_empty_slot_is_said_and_a_map_that_nobody_looks_into_is_not():
    count = ProgramCount(program="p", shortest=1, longest=2, loops=0, paths=(), followed=1.0,
                         maps=(), notes=(), no_program=("slot 7 of calls",))  # fmt: skip
    assert notes_of_empty(["unused"], [count]) == (
        "no program is in slot 7 of calls: the call is not made",
    )
