"""What kinds of one class tell of each other, and what they leave open."""

import numpy as np
import pytest

from linerate.models.operations import Mixes, Work
from linerate.models.operations.runs import works_of

from .planted import NONE_NS, table

HIT_NS = {"table_exact": 35.0, "table_lpm": 50.0, "table_wildcard": 65.0}
NOTHING_NS = 25.0
"""That a search takes less which finds nothing."""
PLAIN = {"emit": 3, "extract": 3, "move": 1}
PLAIN_NS = 50.0


def fitted(packets):
    works = works_of(table(packets, repetitions=1))
    return Mixes.fit(works, np.array([packet_ns for _, packet_ns, *_ in packets]))


def forward(**steps):
    return Work(scope="swx", base="forward", steps=tuple(sorted(steps.items())))


def own(**steps):
    return Work(scope="swx", base="bare", steps=tuple(sorted((PLAIN | steps).items())))


def searches(*kinds):
    return [({}, NONE_NS), *(({kind: times}, NONE_NS + times * of_search(kind))
                             for kind in kinds for times in (1, 2, 4))]  # fmt: skip


def of_search(kind):
    return HIT_NS[kind.removesuffix("_miss")] - (NOTHING_NS if kind.endswith("_miss") else 0.0)


def test_a_longer_key_costs_what_its_match_does_and_not_what_all_tables_do():
    model = fitted(searches(*HIT_NS))
    for kind, each_ns in HIT_NS.items():
        assert model.time_ns(forward(**{f"{kind}_16": 2}))[0] == pytest.approx(
            NONE_NS + 2 * each_ns, rel=0.03
        )


def test_a_search_that_finds_nothing_saves_most_of_what_others_save_by_that():
    """Half of what one saves is taken for its own; what two save alike is more likely of all."""
    saved_ns = []
    for missed in (["table_lpm_miss"], ["table_lpm_miss", "table_exact_miss"]):
        model = fitted(searches(*HIT_NS, *missed))
        hit, miss = (model.time_ns(forward(**{kind: 1}))[0]
                     for kind in ("table_wildcard", "table_wildcard_miss"))  # fmt: skip
        saved_ns.append(hit - miss)
    assert 0.4 * NOTHING_NS < saved_ns[0] < saved_ns[1]
    assert 0.6 * NOTHING_NS < saved_ns[1] < NOTHING_NS


def test_what_no_run_has_may_differ_from_its_class_and_many_of_it_are_refused():
    model = fitted(searches(*HIT_NS))
    known, unseen = forward(table_exact=2), forward(table_ternary=2)
    assert model.time_ns(unseen)[1] > 5.0 * model.time_ns(known)[1]
    many = forward(table_ternary=8)
    assert "no other run has swx: differs table_ternary" in model.unknown(many)
    assert model.unknown(forward(table_exact=8)) == ""


def test_a_ladder_upon_what_all_pipelines_have_bends_as_one_alone():
    """The first additions hide behind the rest: a straight line would give ten of them 17 ns."""
    more_ns = {("jump", 4): 2.0, ("table_exact", 2): 70.0, ("table_exact", 4): 140.0,
               ("add", 2): 0.5, ("add", 10): 6.0, ("add", 30): 46.0}  # fmt: skip
    packets = [(PLAIN, 0.0), *((PLAIN | {kind: n}, ns) for (kind, n), ns in more_ns.items())]
    whole = [({"receive": 1} | steps, PLAIN_NS + ns, {"program": "parsed"})
             for steps, ns in packets]  # fmt: skip
    model = fitted([*whole, ({"receive": 1}, 40.0, {"program": "bare"})])
    assert model.knots["swx", "chained_arithmetic"] == (2, 10, 30)
    both_ns = model.time_ns(own(add=10, table_exact=2))[0]
    assert both_ns == pytest.approx(PLAIN_NS + 70.0 + 6.0, rel=0.03)
