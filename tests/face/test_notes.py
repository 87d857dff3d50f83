"""What an answer about a user's object says beside its numbers."""

from dataclasses import replace

import pytest
from tests.models.objects.planted import times

from linerate.face.fits.notes import notes_of_others


@pytest.mark.parametrize("ratio", [float("nan"), 0.0, 0.1])
def test_few_looks_at_others_or_none_are_not_worth_a_note(ratio):
    assert notes_of_others([replace(times(), others_ratio=ratio)]) == []


def test_many_looks_that_saw_others_are_said_over_all_traffics():
    seen = [replace(times(), others_ratio=ratio) for ratio in (0.5, 0.74)]
    assert notes_of_others(seen)[0].startswith("others used these cores, too, at 62% of looks")
