"""Scores of what was held out are honest: sorts, refusals, intervals; on planted and measured
runs."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.operations import mix_runs
from linerate.models.operations.held_out import held_out
from linerate.models.operations.validation import validate_mixes
from linerate.tables.runs import read_runs

from .planted import NONE_NS, singles, table

MIXES = [
    ({"register_read_32": 20, "add": 20}, NONE_NS + 180.0),
    ({"hash_crc32": 20, "table_exact": 3}, NONE_NS + 205.0),
    ({"add": 20, "table_lpm": 3}, NONE_NS + 218.0),
]


def held(packets):
    return list(held_out(*mix_runs(table(packets)).medians()))


def scores_of(validation, sort):
    (found,) = (scores for scores in validation.scores if scores.sort == sort)
    return found


def error_of(validation, sort):
    error = scores_of(validation, sort).error
    assert error is not None
    return error


@pytest.fixture(scope="module")
def validated(reference):
    return lambda name: validate_mixes(mix_runs(read_runs([reference(name)])))


def test_a_mix_is_held_out_with_every_mix_of_its_kinds():
    """Were one seen, its interaction would give the other away."""
    expensive = [({"register_read_32": n, "register_write_32": n}, 2.0 * (NONE_NS + 13.0 * n))
              for n in (20, 80)]  # fmt: skip
    asked = {(one.sort, one.work.steps[0][1]): one for one in held(singles() + expensive)
             if len(one.work.steps) > 1}  # fmt: skip
    assert asked["mix", 20].score == pytest.approx(-np.log(2.0), abs=0.1)
    assert abs(asked["mix_number", 80].score) < abs(asked["mix", 80].score)


def test_planted_mixes_are_said_within_their_intervals():
    validation = validate_mixes(mix_runs(table(singles() + MIXES)))
    mixes = scores_of(validation, "mix")
    assert (mixes.cells, mixes.answered) == (3, 3)
    assert error_of(validation, "mix").median_percent < 5.0
    assert mixes.coverage == 1.0
    assert not [one for one in validation.missed if one.sort == "mix"]


def test_a_kind_of_a_single_number_cannot_be_held_out_and_is_named():
    (asked,) = [one for one in held([*singles(("add",)), ({"meter": 3}, 90.0)])
                if one.work.kinds == {"meter"}]  # fmt: skip
    assert np.isnan(asked.predicted_ns)
    assert "meter" in asked.unknown


def test_tables_without_steps_say_what_was_left_out():
    with pytest.raises(BadInputError, match="memory accesses tell them apart"):
        mix_runs(table([({"map_lookup": 5}, 90.0, {"datapath": "tc", "program": "map_lookup"})]))


def test_more_kinds_of_packets_than_a_model_file_holds_are_refused_before_the_fit(monkeypatch):
    monkeypatch.setattr("linerate.models.operations.runs.WORKS_MAX", 2)
    with pytest.raises(BadInputError, match="kinds, by operations"):
        mix_runs(table(MIXES))


def test_mixes_of_the_pipelines_measured_are_said_within_fifteen_percent(validated):
    validation = validated("izolan")
    assert all(error_of(validation, sort).median_percent < 4.0 for sort in ("mix", "mix_number"))
    assert error_of(validation, "mix").mean_percent < 4.0
    mixes = scores_of(validation, "mix")
    assert mixes.within_ratio == 1.0
    assert mixes.coverage > 0.85


def test_pairs_of_a_read_and_a_write_are_told_where_none_was_seen(validated):
    """They were measured when the law had been chosen."""
    pairs = validated("pairs")
    assert scores_of(pairs, "mix").answered == 5
    assert error_of(pairs, "mix").p90_percent < 5.0


def test_filters_of_hooks_and_lengths_of_chains_that_were_not_seen_are_told(validated):
    filters = validated("sampaio")
    assert {scores.sort for scores in filters.scores} == {"base", "number"}
    assert error_of(filters, "base").median_percent < 6.0
    assert error_of(filters, "number").median_percent < 2.5
    assert error_of(filters, "number").mean_percent < 3.0
    chains = validated("castanho")
    assert error_of(chains, "number").median_percent < 8.0
    assert all("tc" in one.work for one in chains.missed), "two lengths leave one to learn from"


def test_a_constant_factor_on_all_rates_changes_no_error(reference):
    runs = read_runs([reference("castanho")])
    faster = runs.assign(**{
        name: runs[name] * 3.0 for name in ("forwarded_mpps", "offered_mpps")
    })  # fmt: skip
    one, other = (error_of(validate_mixes(mix_runs(rows)), "number") for rows in (runs, faster))
    assert one.mean_percent == pytest.approx(other.mean_percent, rel=1e-6)
