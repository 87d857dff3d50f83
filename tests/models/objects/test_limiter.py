"""Programs that limit a verdict's rate: how packets end, and what rate that leaves."""

from dataclasses import replace

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.limiter import limits_of
from linerate.programs.times import Flood

from .planted import asked, times

TX_NS, DROP_NS = 60.64, 50.64
"""Of a packet of the planted box with a program of 20 ns, on one queue."""


def flooded(*floods, **shares):
    return replace(times(**shares), floods=tuple(
        Flood(queues=queues, rates_mpps=tuple(rates.items())) for queues, rates in floods
    ))  # fmt: skip


def most_of(limited, queues):
    limits = limits_of(limited, queues)
    assert limits is not None
    return limits.most_mpps


def rate_of(limited, box, **question):
    return answer_object(limited, box, asked(link_gbps=1000.0, **question)).predicted_mpps


def test_the_rate_is_that_at_which_verdicts_and_base_costs_agree(box):
    limited = flooded((1, {"tx": 2.0, "drop": 10.0}))
    answer = answer_object(limited, box, asked(link_gbps=1000.0, queues=1))
    found = answer.predicted_mpps
    assert 2.0 * TX_NS + (found - 2.0) * DROP_NS == pytest.approx(1000.0)  # ns in a us
    assert {path.verdict: path.share for path in answer.paths} == pytest.approx(
        {"tx": 2.0 / found, "drop": 1.0 - 2.0 / found}
    )


def test_what_comes_slower_than_the_limit_ends_as_in_test_runs(box):
    limited = flooded((1, {"tx": 2.0, "drop": 10.0}))
    answer = answer_object(limited, box, asked(link_gbps=1.0, queues=1))  # line rate 1.488 Mpps
    assert [(path.verdict, path.share) for path in answer.paths] == [("tx", 1.0)]
    assert answer.sustains


def test_each_number_of_queues_has_the_limit_that_was_seen_on_so_many(box):
    both = flooded((1, {"tx": 2.0, "drop": 10.0}), (2, {"tx": 3.0, "drop": 20.0}))
    assert most_of(both, 1) == {"tx": 2.0}
    assert most_of(both, 2) == most_of(both, 8) == {"tx": 3.0}
    one = flooded((1, {"tx": 2.0, "drop": 10.0}))
    assert rate_of(both, box, queues=2) < rate_of(one, box, queues=2)  # sending back takes longer


@pytest.mark.parametrize(
    "rates", [{"tx": 12.0}, {"tx": 11.8, "drop": 0.2}, {}], ids=["alike", "by chance", "no packet"]
)
def test_packets_that_end_as_in_test_runs_show_no_limit(box, rates):
    assert limits_of(flooded((1, rates)), 1) is None
    assert rate_of(flooded((1, rates)), box) == rate_of(times(), box)


def test_a_verdict_that_a_flood_never_gets_is_left_to_what_it_gets(box):
    blocked = flooded((1, {"tx": 0.0, "drop": 12.0}))
    answer = answer_object(blocked, box, asked(link_gbps=1000.0, queues=1))
    assert [path.verdict for path in answer.paths] == ["drop"]
    assert answer.predicted_mpps == pytest.approx(1e3 / DROP_NS)


def test_verdicts_that_are_not_limited_keep_their_share(box):
    mixed = flooded((1, {"tx": 2.0, "drop": 6.0, "pass": 4.0}), tx=0.5, **{"pass": 0.5})
    limits = limits_of(mixed, 1)
    assert limits is not None and limits.beyond == {"drop": 1.0}
    assert set(limits.most_mpps) == {"tx", "pass"}
    with_some = flooded((1, {"tx": 2.0, "drop": 4.0, "pass": 6.0}), tx=0.5, **{"pass": 0.5})
    assert most_of(with_some, 1) == {"tx": 2.0}


def test_loads_below_the_limit_are_served_as_in_test_runs(box):
    limited = flooded((1, {"tx": 15.0, "drop": 5.0}))
    answer = answer_object(limited, box, asked(link_gbps=1000.0, queues=1))
    half = next(load for load in answer.loads if load.name == "50%")
    assert half.load_mpps < 15.0 < answer.predicted_mpps
    assert half.cpu_busy_ratio == pytest.approx(half.load_mpps * TX_NS * 1e-3)
