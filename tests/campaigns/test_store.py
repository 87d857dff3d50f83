"""Campaigns come back from a store as they were added, whatever it lies on."""

import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import linerate as lr
from linerate.campaigns.manifest import Origin
from linerate.errors import BadInputError, CannotHereError, LinerateError

from .planted import ROWS, campaign, put


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    """Give an empty store: in a folder, and where fsspec keeps it in memory."""
    if request.param == "folder":
        yield lr.store(tmp_path / "lab")
    else:
        yield lr.store(f"memory://{tmp_path.name}")
        MemoryFileSystem.store.clear()


def test_runs_come_back_as_they_were_added(store, reference):
    [added] = store.add(reference("pipelines"))
    back = store.runs().table.drop(columns="campaign_id")
    given = lr.read(reference("pipelines")).table
    lost = set(given.columns) - set(back.columns)
    assert added.state == "added"
    assert given[list(lost)].isna().all(axis=None)
    given = given.drop(columns=list(lost))
    pd.testing.assert_frame_equal(back[given.columns], given, check_dtype=False)


def test_what_is_read_has_the_values_that_were_asked_for(store):
    ids = [put(store, number, box).id for number, box in enumerate(("alpha", "beta", "beta"))]
    assert len(store.runs(box="beta", datapath="xdp_native")) == ROWS
    assert set(store.runs(campaign_id=ids[:2]).table["campaign_id"]) == set(ids[:2])
    assert set(store.runs(campaign="nightly-1", queues=1.0).table["queues"]) == {1}
    assert "latency_p50_us" not in store.runs(columns=["started_at"]).table
    with pytest.raises(BadInputError, match="none of 2 campaigns has such runs"):
        store.runs(box="beta", datapath="af_xdp")
    with pytest.raises(BadInputError, match=r"column=qeues.*did you mean queues"):
        store.runs(qeues=1)
    with pytest.raises(BadInputError, match=r"queues=.*no such values"):
        store.runs(queues="two")


def test_campaigns_are_listed_by_their_start(store, reference):
    store.add(reference("veth"), commit="4f2a9c1")
    put(store, 3)
    put(store, 1)
    listed = store.campaigns()
    assert list(listed["campaign"]) == ["nightly-1", "nightly-3", "reference-veth"]
    assert list(listed["runs"]) == [ROWS, ROWS, 720]
    assert listed["commit"].iloc[-1] == "4f2a9c1"
    assert listed["kernel"].iloc[-1].startswith("6.18")


def test_only_files_of_what_is_asked_for_are_opened(tmp_path):
    store = lr.store(tmp_path)
    other = put(store, 0, "alpha")
    put(store, 1, "beta")
    (tmp_path / other.part).write_bytes(b"x" * other.size_bytes)  # of its size, and no Parquet
    assert len(store.runs(box="beta")) == ROWS
    assert store.runs(box="beta").notes == ()
    assert store.query("select count(*) as n from runs where box = 'beta'").table["n"][0] == ROWS


def test_a_campaign_that_is_there_is_left_and_a_resumed_one_replaced_when_asked(store):
    first = put(store, 0)
    assert store.put(campaign(0), Origin()).state == "there already"
    grown = pd.concat([campaign(0), campaign(0)])
    with pytest.raises(BadInputError, match=f"has it with {ROWS} other runs.*--replace"):
        store.put(grown, Origin())
    replaced = store.put(grown, Origin(), again=True)
    assert (replaced.state, replaced.manifest.id) == ("replaced", first.id)
    assert len(store.runs()) == 2 * ROWS
    assert (store.verify().campaigns, store.verify().unnamed) == (1, ())


def test_settings_of_two_campaigns_share_a_table_though_their_types_differ(store):
    put(store, 0, settings="hops", hops=3)
    put(store, 1, settings="hops", hops="many")
    put(store, 2)
    assert set(store.runs().table["hops"].dropna()) == {"3", "many"}
    assert set(store.runs(campaign="nightly-0").table["hops"]) == {3}


def test_names_may_be_any(store):
    put(store, 0, "a/b ../ç=%", campaign="../../" + "ö" * 190)
    assert len(store.runs(box="a/b ../ç=%")) == ROWS
    assert store.verify().campaigns == 1


@pytest.mark.parametrize(
    ("address", "output"),
    [("nonsense://x", "store=nonsense://x: .*allowed: a folder"), ("memory://none", "no store")],
)
def test_an_address_that_leads_nowhere_is_refused(address, output):
    with pytest.raises(BadInputError, match=output):
        lr.store(address).listing()


def test_without_fsspec_folders_work_and_addresses_say_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr("linerate.campaigns.places.find_spec", lambda name: None)
    assert put(lr.store(tmp_path), 0).runs == ROWS
    with pytest.raises(CannotHereError, match=r"fsspec: .*linerate\[store\]"):
        lr.store("memory://lab")


def test_a_place_that_holds_something_else_or_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInputError, match=r"it holds notes.txt"):
        lr.store(tmp_path).add()
    with pytest.raises(BadInputError, match="there is no store"):
        lr.store(tmp_path).runs()
    with pytest.raises(LinerateError, match="cannot be written"):
        lr.store(tmp_path / "notes.txt/lab").add()
