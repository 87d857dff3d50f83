"""A canary between searches: one known trial that shows how the machine drifts meanwhile."""

import math
from typing import Any

import pandas as pd
import pytest

from linerate.files.store import Store
from linerate.measure.boxes.turns import work_left
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.live.progress import Progress
from linerate.measure.live.view import lines, view_of

from ...files.finished import BOX, PLAN, PROVENANCE, canary, entry
from .test_run import measure
from .test_run_search import SEARCH, finished
from .test_search_block import BLOCK
from .test_search_block import PLAN as FIELDS


def campaign(**changes):
    return campaign_from(
        FIELDS | {"searches": [BLOCK], "canary_every": 1, "retries": 0} | changes, "plan"
    )


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)


def ids(plan, store):
    return [work.id for work in work_left(plan, store)]


def test_a_canary_stands_first_last_and_between_the_searches(store):
    left = ids(campaign(), store)
    assert [name.startswith("canary-s") for name in left] == [True, False] * 4 + [True]
    assert len(set(left)) == len(left)
    every_other = ids(campaign(canary_every=2), store)
    assert [name.startswith("canary-s") for name in every_other] == [
        True, False, False, True, False, False, True,
    ]  # fmt: skip
    assert not any(name.startswith("canary") for name in ids(campaign(canary_every=0), store))


def test_the_canary_is_the_first_cell_or_else_a_flood_of_the_first_that_is_searched():
    load = campaign().canary_cell().load
    assert (load.arrivals, load.offered_mpps) == ("flood", math.inf)
    assert campaign().canary_cell().memory_accesses == BLOCK["memory_accesses"][0]
    cells = {key: value for key, value in BLOCK.items() if key != "min_mpps"}
    both = campaign(cells=[cells | {"offered_mpps": [0.5], "memory_accesses": [7]}])
    assert both.canary_cell() == both.cells()[0]


def test_a_resumed_campaign_goes_on_with_the_canary_before_the_first_search_that_is_left(store):
    planned = ids(campaign(), store)
    store.append(canary(0, 0, 10**6))
    store.append_search(finished(planned[1]))
    assert ids(campaign(), store) == planned[2:]
    for name in planned[3::2]:
        store.append_search(finished(name))
    assert ids(campaign(), store) == [], "a canary tells nothing where no search is left"


def test_each_search_has_the_speed_of_the_canary_when_it_began(store):
    store.append(entry("canary-s-00000", 0, canary=True, forwarded_packets=800))
    store.append(entry("s0000-r1", 10, purpose="search"))
    store.append(entry("s0000-r1", 15, purpose="search"))
    store.append(entry("canary-s-00002", 20, canary=True, forwarded_packets=600))
    store.append(entry("s0000-r2", 20, purpose="search"))
    store.append(entry("canary-s-00004", 40, canary=True, forwarded_packets=800))
    for name in ("s0000-r1", "s0000-r2"):
        store.append_search(finished(name))
    table = store.write_searches()
    assert table is not None
    assert list(table["drift_ratio"]) == pytest.approx([7 / 8, 6 / 8])
    answers = pd.read_csv(store.folder / "answers.csv")
    assert list(answers["drift_min_ratio"]) == pytest.approx([6 / 8])


def test_searches_without_a_canary_drift_from_nothing(store):
    store.append(entry("s0000-r1", 10, purpose="search"))
    store.append_search(finished())
    table = store.write_searches()
    assert table is not None
    assert list(table["drift_ratio"]) == [1.0]


def test_what_is_shown_has_answers_and_drift_and_counts_no_canary_as_a_run():
    progress = Progress(campaign=campaign())
    for number, forwarded in enumerate((800, 600)):
        progress.take(entry(f"canary-s-{number}", number, canary=True, forwarded_packets=forwarded))
        progress.take(finished(f"s0000-r{number + 1}"))
    view = view_of(progress, 0.0)
    assert (view.finished_runs, view.finished_searches, view.planned_searches) == (0, 2, 4)
    assert view.drift is not None
    shown = "\n".join(lines(view))
    assert "found  xdp_native map_lookup: NDR 1 Mpps (1 to 1 over 2 loads, CV 0 %)" in shown
    assert "drift  canary -14.3% of its median" in shown
    answers: Any = view.to_dict()["answers"]
    assert [(one["goal"], one["median_mpps"], one["loads"]) for one in answers] == [("ndr", 1.0, 2)]


@pytest.mark.root
def test_real_searches_answer_over_their_loads_beside_a_canary(tmp_path):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    once = SEARCH.replace("repetitions = 1", "repetitions = 2\ncanary_every = 1")
    plan.write_text("\n".join(line for line in once.splitlines() if "curve" not in line))
    done = measure(plan, out)
    assert done.returncode == 0, done.stderr
    for goal in ("MRR", "NDR", "PDR"):
        assert f"xdp_native map_lookup: {goal}" in done.stdout
    searches, answers = (pd.read_csv(out / f"{name}.csv") for name in ("searches", "answers"))
    assert list(answers["goal"]) == ["mrr", "ndr", "pdr"]
    assert list(answers["searches"]) == [2, 2, 2]
    canaries = [one for one in Store(out).entries() if one.canary]
    assert len({one.run_id for one in canaries}) == 3
    assert {one.cell.load.arrivals for one in canaries} == {"flood"}
    if len({one.trial.forwarded_mpps for one in canaries}) > 1:
        assert (searches["drift_ratio"] != 1.0).any()
    for row in answers[answers["loads"] == 0].to_dict("records"):
        assert "no answer" in row["answer"], "a disturbed search was printed as if it were one"
