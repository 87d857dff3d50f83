"""Searches through the real command: their tables, a kill in the middle, going on."""

import json
import time
from dataclasses import asdict

import pandas as pd
import pytest

from linerate.files.store import Store
from linerate.measure.search.goals import NDR
from linerate.searches import Bound, BurstBound, GoalResult, SearchEntry
from linerate.tables.runs import read_runs

from ... import warm
from ...files.finished import BOX, PLAN, PROVENANCE, entry
from ..labs.devices import cell
from .test_run import PATIENCE_SECONDS, journal_lines, measure

SEARCH = """\
name = "searched"
lab = "veth"
repetitions = 1
retries = 0
trial_seconds = 0.02
warm_up_seconds = 0.01

[[searches]]
mode = "split"
datapath = ["xdp_native"]
program = ["map_lookup"]
memory_accesses = [400]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
goals = ["mrr", "ndr", "pdr"]
min_mpps = 0.001
duration_sum_seconds = 0.06
width_ratio = 0.2
mrr_trials = 2
curve = { percent = [20, 50], arrivals = ["constant", "poisson"] }
"""


def finished(search_id="s0000-r1", **changes):
    fields = {
        "search_id": search_id, "repetition": 1, "cell": cell(), "preset": "mlrsearch",
        "min_mpps": 0.01, "max_mpps": 5.0, "max_from": "generator", "trials": 40,
        "results": (GoalResult(goal=NDR, bound=Bound(lower_mpps=1.0, upper_mpps=1.004)),),
        "disturbed_trials": 2, "duration_s": 4.0, "steal_ratio": 0.0,
        "verdict": entry().verdict, "program_hash": "0123456789abcdef", "started_at": "",
    }  # fmt: skip
    return SearchEntry(**(fields | changes))


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)


def test_a_finished_search_is_read_back_as_it_was(store):
    irregular = GoalResult(
        goal=NDR, bound=Bound(lower_mpps=None, upper_mpps=0.01), limited_by="min_load", reason="x"
    )
    whole = finished(
        results=(irregular,), mrr_mpps=(1.0, 2.0),
        burst=BurstBound(lower_packets=256, upper_packets=None),
    )  # fmt: skip
    store.append_search(whole)
    assert list(store.searches()) == [whole]


def test_a_search_cut_short_on_disk_is_dropped_when_resumed(store):
    store.append_search(finished())
    half = json.dumps(asdict(finished("s0001-r1")))[:100]
    with store.searches_path.open("a") as file:
        file.write(half)
    again = Store.resume(store.folder, PLAN, BOX)
    assert [search.search_id for search in again.searches()] == ["s0000-r1"]
    assert again.searches_path.read_bytes().endswith(b"}\n")


def test_each_goal_is_a_row_and_a_bound_that_is_missing_is_empty(store):
    above = GoalResult(
        goal=NDR, bound=Bound(lower_mpps=5.0, upper_mpps=None), limited_by="generator", reason="x"
    )
    store.append_search(
        finished(
            results=(finished().results[0], above), mrr_mpps=(1.0, 3.0),
            burst=BurstBound(lower_packets=256, upper_packets=257),
        )
    )  # fmt: skip
    table = store.write_searches()
    assert table is not None
    assert list(table["goal"]) == ["ndr", "ndr", "mrr", "back_to_back"]
    assert list(table["regular"])[:2] == [True, False]
    assert pd.isna(table["upper_mpps"][1])
    assert table["mrr_mpps"][2] == 2.0
    assert list(table.loc[3, ["lower_packets", "upper_packets"]]) == [256, 257]
    csv = pd.read_csv(store.folder / "searches.csv")
    assert list(csv.columns) == list(table.columns)
    assert list(csv["lower_mpps"])[:2] == [1.0, 5.0]


def test_steps_of_a_search_are_no_runs_and_its_curve_is(store):
    store.append(entry("s0000-r1", purpose="search"))
    store.append(entry("s0000-r1-poisson-0.100000", 1, purpose="curve"))
    store.append(entry("c0000-r1", 2))
    table = store.write_runs()
    assert list(table["run_id"]) == ["s0000-r1-poisson-0.100000", "c0000-r1"]
    assert list(table["source"]) == ["curve", "serial"]
    assert store.write_searches() is None


@pytest.mark.deep
@pytest.mark.root
def test_a_search_that_is_killed_starts_over_and_is_then_not_repeated(tmp_path):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(SEARCH)
    begun = warm.start("measure", plan, "--out", out)
    end = time.monotonic() + PATIENCE_SECONDS
    while journal_lines(out) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    begun.kill()
    begun.wait()
    kept = journal_lines(out)
    assert kept >= 3
    done = measure(plan, out, "--resume")
    assert done.returncode == 0, done.stderr
    assert f"3 goals searched for in {out / 'searches.csv'}" in done.stdout
    searches = pd.read_csv(out / "searches.csv")
    assert list(searches["goal"]) == ["ndr", "pdr", "mrr"]
    assert set(searches["search_id"]) == {"s0000-r1+1"}, "trials of two program loads were mixed"
    before = journal_lines(out)
    assert measure(plan, out, "--resume").returncode == 0
    assert journal_lines(out) == before, "a finished search was run again"


@pytest.mark.root
def test_a_real_search_finds_what_the_device_carries_and_draws_its_curve(tmp_path):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(SEARCH)
    done = measure(plan, out, "--json")
    assert done.returncode == 0, done.stderr
    assert '"goals": 3' in done.stdout
    goals = pd.read_csv(out / "searches.csv").set_index("goal").to_dict("index")
    assert 0.0 < goals["mrr"]["mrr_mpps"] < 14.9
    assert 0.001 <= goals["pdr"]["lower_mpps"] <= goals["pdr"]["max_mpps"]
    runs = read_runs([out])
    assert set(runs["source"]) == {"curve"}
    carried_mpps = max(goals["ndr"]["lower_mpps"], goals["pdr"]["lower_mpps"])
    for arrivals in ("constant", "poisson"):
        rates_mpps = sorted(runs["offered_mpps"][runs["arrivals"] == arrivals])
        assert rates_mpps == pytest.approx([0.2 * carried_mpps, 0.5 * carried_mpps], abs=2e-6)
    assert (runs["latency_p50_us"] > 0.5).all()
