"""Whole searches on devices of known capacity, from their limits to their curves."""

import pytest

from linerate.measure.search.curve import Curve, curve_loads
from linerate.measure.search.goals import NDR, PDR, THROUGHPUT, scaled
from linerate.measure.search.run import Subject, run_search
from linerate.measure.search.spec import SearchSpec

from ..labs.devices import LINE_MPPS, SECONDS, brackets, cell, device

BOTH = (scaled(NDR, SECONDS), scaled(PDR, SECONDS))


def test_a_curve_holds_each_arrival_process_at_each_percentage():
    curve = Curve(percents=(100, 10), arrivals=("poisson", "burst"), burst_packets=8, trials=1)
    loads = list(curve_loads(cell().load, 2.0, curve))
    assert [(load.arrivals, load.offered_mpps, load.burst_packets) for load in loads] == [
        ("poisson", 0.2, 1), ("poisson", 2.0, 1), ("burst", 0.2, 8), ("burst", 2.0, 8),
    ]  # fmt: skip


def spec(**changes):
    fields = {
        "preset": "mlrsearch", "tests": ("mrr", "ndr", "pdr"), "goals": BOTH, "min_mpps": 0.01,
        "max_mpps": None, "trial_seconds": SECONDS, "warm_up_seconds": 0.0, "seconds_max": 1e6,
        "mrr_trials": 3, "latency_trials": 2, "curve": None, "retries": 2,
        "point_retries": 2,
    }  # fmt: skip
    return SearchSpec(**(fields | changes))


def searched(capacity_mpps, **changes):
    points = []
    subject = Subject(
        search_id="s0000-r1", repetition=1, cell=cell(), program_hash="0123456789abcdef",
        run_trial=device(capacity_mpps), run_point=device(capacity_mpps, log=points),
    )  # fmt: skip
    return run_search(subject, spec(**changes)), [load for load, _ in points]


def test_a_whole_search_reports_every_goal_and_its_curve():
    curve = Curve(percents=(50, 100), arrivals=("constant",), burst_packets=1, trials=2)
    entry, points = searched(2.0, curve=curve)
    assert [result.goal.name for result in entry.results] == ["ndr", "pdr"]
    assert entry.mrr_mpps == pytest.approx((2.0, 2.0, 2.0))
    assert entry.verdict.state == "valid"
    pdr_mpps = entry.results[1].bound.lower_mpps
    assert pdr_mpps is not None
    offered_mpps = [load.offered_mpps for load in points]
    assert offered_mpps == pytest.approx([x * pdr_mpps for x in (0.5, 0.5, 1, 1)], abs=1e-6)


def test_a_whole_rfc2544_search_holds_its_four_tests():
    entry, points = searched(
        2.0, preset="rfc2544", goals=(scaled(THROUGHPUT, SECONDS),), mrr_trials=0,
        tests=("throughput", "latency", "frame_loss", "back_to_back"),
    )  # fmt: skip
    (result,) = entry.results
    assert brackets(result.bound, 2.0)
    assert entry.burst is not None
    assert entry.burst.upper_packets is None
    at_throughput = [p for p in points if p.offered_mpps == result.bound.lower_mpps]
    assert len(at_throughput) == 2
    assert points[0].offered_mpps == pytest.approx(LINE_MPPS)


def test_nothing_is_taken_at_a_rate_that_was_not_found():
    curve = Curve(percents=(100,), arrivals=("constant",), burst_packets=1, trials=1)
    entry, points = searched(0.001, curve=curve)
    assert entry.results[0].bound.lower_mpps is None
    assert points == []
