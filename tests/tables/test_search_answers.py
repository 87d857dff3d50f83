"""What searches answer together: a median over loads that count and its spread, or no number."""

import math

import pytest

from linerate.measure.search.goals import NDR, PDR
from linerate.searches import Bound, GoalResult
from linerate.tables.search_answers import SearchAnswer, answers_of, answers_table
from linerate.tables.search_table import searches_from

from ..files.finished import BOX
from ..measure.campaign.test_run_search import finished
from ..measure.labs.devices import cell
from ..measure.live.planted import INVALID, SUSPECT


def found(lower_mpps, goal=PDR, **changes):
    upper_mpps = None if lower_mpps is None else lower_mpps * 1.004
    return GoalResult(
        goal=goal, bound=Bound(lower_mpps=lower_mpps, upper_mpps=upper_mpps), **changes
    )


def searched(*lower_mpps, **changes):
    """Search as many program loads as there are rates; changes are those of each search."""
    return [
        finished(f"s0000-r{number}", repetition=number, results=(found(mpps),), **changes)
        for number, mpps in enumerate(lower_mpps, 1)
    ]


def answered(entries, drift=None):
    return answers_of(searches_from(entries, {"": BOX}, "made-up", "abc", drift or {}))


def test_the_answer_is_the_median_over_loads_with_their_spread():
    (answer,) = answered(searched(1.62, 1.55, 1.71, 1.60, 1.65))
    assert (answer.median_mpps, answer.smallest_mpps, answer.largest_mpps) == (1.62, 1.55, 1.71)
    assert answer.cv_ratio == pytest.approx(0.0365, abs=1e-4)
    assert answer.steady
    assert str(answer).endswith(": PDR 1.62 Mpps (1.55 to 1.71 over 5 loads, CV 3.7 %)")


def test_loads_that_lie_apart_are_said_to_with_what_the_canary_did():
    entries = searched(1.94, 1.56, 1.25, 2.00)
    (answer,) = answered(entries, {"s0000-r1": 1.04, "s0000-r3": 0.71})
    assert answer.steady is False
    assert "CV 21 %); CV above 8 %: take the range, not the median" in str(answer)
    assert "meanwhile the canary ran at 0.71 to 1.04 of its median" in str(answer)


def test_one_load_has_no_spread():
    (answer,) = answered(searched(1.62))
    assert math.isnan(answer.cv_ratio)
    assert answer.steady is None
    assert "PDR 1.62 Mpps (1 load: how far loads lie apart is not known)" in str(answer)


def test_a_search_in_doubt_does_not_count_and_says_why():
    entries = [*searched(1.62, 1.60), finished("s0000-r3", results=(found(0.079),),
                                               verdict=SUSPECT)]  # fmt: skip
    (answer,) = answered(entries)
    assert answer.loads_mpps == (1.62, 1.60)
    assert f"1 of 3 loads left out (0.079 Mpps): {SUSPECT.reasons[0]}" in str(answer)


@pytest.mark.parametrize("limited_by", ["host", "budget"])
def test_a_bound_that_rests_on_the_host_or_the_clock_is_no_answer(limited_by):
    results = (found(0.079, limited_by=limited_by, reason="at 0.08 Mpps the trials stayed so"),)
    (answer,) = answered([finished(results=results), finished("s0000-r2", results=results)])
    assert math.isnan(answer.median_mpps)
    assert "PDR: no answer, for none of 2 loads counts; left out (0.079 Mpps): at" in str(answer)
    assert "PDR 0.079" not in str(answer)


def test_what_limits_the_loads_is_named_unless_it_is_the_device():
    results = (found(14.8, limited_by="line_rate"),)
    (answer,) = answered([finished(results=results), finished("s0000-r2", results=results)])
    assert str(answer).endswith("; limited by line_rate")


def test_a_search_that_was_measured_again_counts_once():
    again = [finished(results=(found(None),), verdict=INVALID), *searched(1.62)]
    (answer,) = answered([*again[:1], finished("s0000-r1+3", results=again[1].results)])
    assert (answer.searches, answer.loads_mpps) == (1, (1.62,))


def test_mrr_is_the_median_over_loads_of_their_mean_and_none_where_it_was_disturbed():
    entries = [
        finished("s0000-r1", mrr_mpps=(1.0, 3.0)), finished("s0000-r2", mrr_mpps=(2.2, 2.2)),
        finished("s0000-r3", mrr_mpps=(0.1, 0.1), mrr_disturbed_trials=2),
    ]  # fmt: skip
    mrr, ndr = answered(entries)
    assert (mrr.goal, ndr.goal) == ("mrr", "ndr")
    assert mrr.loads_mpps == (2.0, 2.2)
    assert "2 of 2 trials at the highest load stayed disturbed" in str(mrr)


def test_cells_and_goals_are_answered_apart_and_named_by_what_they_differ_in():
    entries = [
        finished(f"s000{index}-r{repetition}", cell=cell(memory_accesses=accesses),
                 results=(found(1.0, NDR), found(2.0)))
        for repetition in (1, 2) for index, accesses in ((1, 400), (0, 100))
    ]  # fmt: skip
    answers = answered(entries)
    assert [answer.goal for answer in answers] == ["ndr", "pdr"] * 2
    names = ["xdp_native map_lookup, memory_accesses 100"] * 2
    names += ["xdp_native map_lookup, memory_accesses 400"] * 2
    assert [answer.cell for answer in answers] == names


def test_the_table_has_the_numbers_of_the_sentences():
    table = searches_from(searched(1.62, 1.55, 1.71), {"": BOX}, "made-up", "abc")
    (row,) = answers_table(table).to_dict("records")
    (answer,) = answers_of(table)
    assert row["median_mpps"] == answer.median_mpps
    assert (row["loads"], row["searches"], row["steady"]) == (3, 3, True)
    assert row["answer"] == str(answer)


def test_searches_of_bursts_alone_have_no_rate_to_answer():
    entries = [finished(results=())]
    assert answered(entries) == ()
    assert answers_table(searches_from(entries, {"": BOX}, "made-up", "abc")).empty


def test_what_is_not_known_is_null_in_json():
    assert SearchAnswer(goal="pdr", loads_mpps=(), searches=2).to_dict()["median_mpps"] is None
