"""Each physics rule names what is impossible, in own and imported tables alike."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.trials.lint import apart_note, judged, lint, shared_note
from linerate.measure.trials.physics import PHYSICS
from linerate.tables.runs import check_runs, read_runs

ROW = {
    "campaign": "c", "source": "s", "repetition": 1, "box": "b", "datapath": "xdp_native",
    "program": "map_lookup", "memory_accesses": 100, "queues": 2, "frame_bytes": 64.0,
    "link_gbps": 10.0, "offered_mpps": 14.880952, "forwarded_mpps": 5.0, "forwarded_from": "sink",
    "cpu_busy_ratio": 0.9, "latency_mean_us": 20.0, "unstable": False,
}  # fmt: skip


def linted(*changes):
    """States and broken rules of rows that differ from a sound one as told."""
    table = check_runs(pd.DataFrame([ROW | change for change in changes]))
    return [(run.state, {remark.rule for remark in run.remarks}) for run in lint(table)]


def test_a_sound_run_is_fine():
    assert linted({}) == [("fine", set())]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"forwarded_mpps": 14.9}, "above_line_rate"),
        ({"offered_mpps": 15.0}, "offered_above_line_rate"),
        ({"offered_mpps": 4.9}, "more_than_offered"),
        ({"latency_mean_us": 0.067}, "latency_impossible"),
        ({"latency_mean_us": -1.0}, "latency_impossible"),
        ({"latency_mean_us": 0.0}, "latency_impossible"),
        ({"latency_p50_us": 9.0, "latency_p99_us": 8.0}, "quantiles_disordered"),
        ({"cpu_busy_ratio": 1.2}, "busier_than_cores"),
        ({"cpu_per_core": "[0.2, 1.3]"}, "busier_than_cores"),
        ({"duration_s": 0.0}, "no_time_passed"),
        ({"sent_packets": 0}, "window_without_traffic"),
        ({"sent_packets": 5, "forwarded_packets": 6}, "counts_out_of_order"),
        ({"duration_s": 1.0, "forwarded_packets": 4 * 10**6}, "rate_not_its_counts"),
        ({"link_gbps": math.inf, "offered_mpps": math.inf, "forwarded_mpps": 900.0},
         "packet_too_cheap"),
        ({"cycles_per_packet": 0.2}, "cycles_implausible"),
        ({"cycles_per_packet": 9e6}, "cycles_implausible"),
        ({"cycles_per_packet": 400.0, "instructions_per_packet": 9e4},
         "instructions_implausible"),
    ],
)  # fmt: skip
def test_what_physics_forbids_is_impossible(change, rule):
    [(state, rules)] = linted(change)
    assert state == "impossible"
    assert rule in rules


def test_every_rule_says_what_to_do_and_is_tested_by_name():
    assert all(do and rule.__doc__ for rule, do in PHYSICS)
    assert len({rule for rule, _ in PHYSICS}) == len(PHYSICS)


def test_a_zero_is_impossible_where_the_same_cell_forwards_elsewhere():
    assert linted({}, {"forwarded_mpps": 0.0})[1] == ("impossible", {"zero_elsewhere"})
    assert linted({}, {"forwarded_mpps": 0.0, "queues": 1})[1] == ("suspicious", {"zero"})


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"unstable": True}, "unstable"),
        ({"verdict": "suspect", "verdict_reason": "steal"}, "verdict"),
        ({"drift_ratio": 0.8}, "drift"),
        ({"forwarded_from": "sar_tx", "forwarded_mpps": 0.5}, "cpu_by_ticks"),
    ],
)
def test_what_speaks_against_a_run_is_suspicious(change, rule):
    assert linted(change) == [("suspicious", {rule})]


def test_a_load_apart_from_its_cell_is_suspicious_but_stays_valid():
    table = check_runs(pd.DataFrame([ROW, ROW, ROW | {"forwarded_mpps": 6.0}]))
    assert [run.state for run in lint(table)] == ["fine", "fine", "suspicious"]
    assert judged(table)["verdict"].tolist() == ["valid"] * 3


@pytest.mark.parametrize(
    ("mpps", "looks", "said"),
    [(6.0, {}, True), (5.1, {}, False), (6.0, {"shared_core_ratio": 0.0}, False)],
)
def test_a_campaign_of_loads_that_lie_apart_is_told_where_to_look(mpps, looks, said):
    rows = [ROW | looks, ROW | looks, ROW | looks | {"forwarded_mpps": mpps}]
    note = apart_note(check_runs(pd.DataFrame(rows)))
    assert note.startswith("1 of 3 runs lie over 10% from") == said
    assert bool(note) == said


def test_rates_with_the_cores_to_itself_are_compared_and_said():
    rows = [{"forwarded_mpps": 5.0 * 0.6**shared, "unshared_mpps": 5.0, "shared_core_ratio": shared}
            for shared in (0.0, 0.0, 1.0)]  # fmt: skip
    assert {state for state, _ in linted(*rows)} == {"fine"}
    table = check_runs(pd.DataFrame([ROW | row for row in rows]))
    assert shared_note(table).startswith(
        "1 of 3 runs did not have the device's cores to themselves: others used these at 100% of "
        "looks, or held them, which took 40% of a rate"
    )
    assert not shared_note(table[:2])


def test_at_line_rate_loads_are_not_compared():
    assert {state for state, _ in linted(*[{"forwarded_mpps": 14.88}] * 3)} == {"fine"}


@given(
    mpps=st.floats(0.01, 14.8), busy=st.floats(0.0, 1.0), latency_us=st.floats(0.1, 1e6),
)  # fmt: skip
def test_what_can_be_is_never_called_impossible(mpps, busy, latency_us):
    change = {"forwarded_mpps": mpps, "cpu_busy_ratio": busy, "latency_mean_us": latency_us}
    assert linted(change)[0][0] == "fine"


def test_the_reference_campaigns_hold_nothing_impossible(repository):
    for folder in sorted((repository / "data").glob("reference-*")):
        impossible = [run for run in lint(read_runs([folder])) if run.state == "impossible"]
        assert impossible == [], folder.name
