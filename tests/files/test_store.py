"""A campaign's folder keeps what it was given, through crashes."""

import dataclasses
import json
import math
import tracemalloc

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.cells import Load
from linerate.errors import BadInputError, LinerateError
from linerate.files.journal import runs_in
from linerate.files.store import Provenance, Store
from linerate.measure.datapaths.registry import settings_tables
from linerate.records import Verdict
from linerate.settings import columns_of, settings_from
from linerate.tables.runs import read_runs

from .finished import BOX, CELL, PLAN, PROVENANCE, entry, latency


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)


def resumed(store, plan=PLAN, box=BOX):
    return Store.resume(store.folder, plan, box)


FLOOD = dataclasses.replace(
    CELL,
    link_gbps=math.inf,
    load=Load(frame_mix=((7, 64), (4, 594), (1, 1518)), arrivals="flood", offered_mpps=math.inf),
)
FINITE = st.floats(0.0, 1.0, allow_nan=False)


@pytest.mark.parametrize(
    "finished",
    [
        entry(),
        entry(cell=FLOOD, program_ns=None),
        entry(cell=dataclasses.replace(CELL, settings=(("a", True), ("b", 1), ("c", "")))),
        entry(latency=latency({1000: 3, 5000: 1}), contended_ratio=0.1),
        entry(verdict=Verdict(state="suspect", reasons=("é, “quoted” and\na new line",))),
    ],
    ids=["plain", "flood and mix", "settings", "latency", "words"],
)
def test_a_finished_trial_reads_back_exactly(store, finished):
    store.append(finished)
    assert list(store.entries()) == [finished]


EARLIER = {
    "socket": {
        "hook": "generic", "zero_copy": False, "need_wakeup": True, "busy_poll": False,
        "batch_packets": 32, "sockets": "queue_0",
    },
    "filter": {"hook": "input", "flavour": "nft"},
    "chain": {
        "length": 3, "topology": "hub", "function": "tc", "nsh_aware": True, "metadata_type": 2,
    },
    "pipeline": {
        "port": "pci", "device": "0000:3b:00.0", "burst_packets": 8, "hugepages": True,
        "memory_channels": 2, "oversubscribed": False, "table_entries": 64, "registers": 8,
        "tables": [["kinds", "kinds.txt"]],
    },
}  # fmt: skip
"""Settings as the cell of a journal had them, each beside the others' null."""
LATER = {"chain_work_ns"}
"""Columns of settings that came after: what a journal does not name is as usual."""


@pytest.mark.parametrize("key", EARLIER)
def test_journal_of_before_settings_were_columns_is_read(store, key):
    written = dataclasses.asdict(entry())
    del written["cell"]["settings"]
    written["cell"] |= dict.fromkeys(EARLIER) | {key: EARLIER[key]}
    store.journal_path.write_text(json.dumps(written) + "\n")
    (read,) = store.entries()
    kind = settings_tables()[key]
    wanted = EARLIER[key] | ({"tables": (("kinds", "kinds.txt"),)} if key == "pipeline" else {})
    assert settings_from(kind, read.cell.settings) == kind(**wanted)
    columns = dict(columns_of(kind(**wanted)))
    assert dict(read.cell.settings) == {
        name: value for name, value in columns.items() if name not in LATER
    }
    assert dataclasses.replace(read, cell=CELL) == entry()


@given(ratios=st.lists(FINITE, min_size=1, max_size=4), steal=FINITE, ns=st.floats(0.001, 1e9))
def test_every_float_survives_the_journal(ratios, steal, ns, tmp_path_factory):
    store = Store.create(tmp_path_factory.mktemp("out") / "new", PLAN, BOX, PROVENANCE)
    finished = entry(cpu_busy_ratios=tuple(ratios), steal_ratio=steal, program_ns=ns)
    store.append(finished)
    assert list(store.entries()) == [finished]


def test_box_and_provenance_read_back_exactly(store):
    assert store.box() == BOX
    assert store.provenance() == PROVENANCE


def test_a_trial_is_on_disk_when_append_returns(store):
    for count in (1, 2, 3):
        store.append(entry(second=count))
        assert store.journal_path.read_bytes().count(b"\n") == count


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_line_cut_by_a_crash_loses_only_its_own_trial(store, share):
    for second in range(3):
        store.append(entry(f"c000{second}-r1", second))
    content = store.journal_path.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    store.journal_path.write_bytes(content[: last + int(share * (len(content) - last))])
    assert [e.run_id for e in store.entries()] == ["c0000-r1", "c0001-r1"]
    again = resumed(store)
    again.append(entry("c0002-r1", 2))
    assert [e.run_id for e in again.entries()] == ["c0000-r1", "c0001-r1", "c0002-r1"]


@pytest.mark.parametrize("line", ["{}", "no json", '{"run_id": "x"', "", "[" * 5000])
def test_a_corrupt_line_in_the_middle_is_refused_with_its_place(store, line):
    store.append(entry())
    with store.journal_path.open("a") as journal:
        journal.write(line + "\n")
    store.append(entry(second=1))
    with pytest.raises(BadInputError, match=r"journal\.jsonl:2: this line is not a trial; allowed"):
        list(store.entries())


def test_counts_that_cannot_be_are_no_trial(store):
    store.append(entry())
    line = json.loads(store.journal_path.read_text())
    line["trial"]["forwarded_packets"] = 10**9
    store.journal_path.write_text(json.dumps(line) + "\n")
    with pytest.raises(BadInputError, match=r"journal\.jsonl:1: this line is not a trial"):
        list(store.entries())


def test_an_empty_journal_is_a_campaign_without_trials(store):
    assert list(store.entries()) == []
    assert store.write_runs().empty
    assert list(resumed(store).entries()) == []


def test_a_campaign_is_not_begun_over_another(store):
    with pytest.raises(BadInputError, match=r"it holds a campaign already; .*--resume"):
        Store.create(store.folder, PLAN, BOX, PROVENANCE)


def test_a_plan_that_lies_in_the_folder_is_not_overwritten(tmp_path):
    (tmp_path / "campaign.toml").write_text("name = 'written by hand'\n")
    with pytest.raises(BadInputError, match="it holds a campaign already"):
        Store.create(tmp_path, PLAN, BOX, PROVENANCE)
    assert (tmp_path / "campaign.toml").read_text() == "name = 'written by hand'\n"


def test_a_changed_plan_is_not_resumed(store):
    with pytest.raises(BadInputError, match=r"the plan differs from the one begun; .*same file"):
        resumed(store, plan=PLAN + "seed = 2\n")


@pytest.mark.parametrize("change", [{"kernel": "6.18.2"}, {"cores": 4}, {"mitigations": {}}])
def test_another_machine_does_not_resume(store, change):
    with pytest.raises(BadInputError, match="it is not the machine"):
        resumed(store, box=dataclasses.replace(BOX, **change))


def test_another_name_and_new_costs_are_the_same_machine(store):
    store.append(entry())
    again = resumed(store, box=dataclasses.replace(BOX, name="renamed", costs={}))
    assert len(list(again.entries())) == 1


def test_a_folder_without_campaign_is_not_resumed(tmp_path):
    with pytest.raises(BadInputError, match="it holds no campaign to resume"):
        Store.resume(tmp_path, PLAN, BOX)


@pytest.mark.parametrize("name", ["campaign.toml", "box.json"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\x00", b"{"])
def test_a_folder_that_lost_or_spoiled_a_file_is_refused(store, name, content):
    path = store.folder / name
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(BadInputError, match="; allowed: "):
        resumed(store)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00"])
def test_a_spoiled_provenance_is_refused(store, content):
    (store.folder / "provenance.json").write_bytes(content)
    with pytest.raises(BadInputError, match=r"provenance=.*it cannot be read"):
        store.write_runs()


def test_a_place_where_nothing_can_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LinerateError, match=r"out=.*it cannot be written") as refused:
        Store.create(tmp_path / "file" / "out", PLAN, BOX, PROVENANCE)
    assert refused.value.exit_code == 3


def test_tables_are_derived_anew_and_agree(store):
    store.append(entry(latency=latency({1000: 3, 5000: 1})))
    store.append(entry("c0001-r1", 1))
    table = store.write_runs()
    assert list(table["run_id"]) == ["c0000-r1", "c0001-r1"]
    parquet, csv = (read_runs([store.folder / f"runs.{suffix}"]) for suffix in ("parquet", "csv"))
    numbers = csv.select_dtypes("number").columns
    assert len(numbers) > 20
    pd.testing.assert_frame_equal(csv[numbers], parquet[numbers], check_dtype=False)
    assert not list(store.folder.glob("*.tmp"))


def test_trials_of_a_run_are_summed_wherever_they_lie(store):
    for name, second in (("c0000-r1", 0), ("c0001-r1", 1), ("c0000-r1", 2)):
        store.append(entry(name, second))
    rows = store.write_runs().set_index("run_id")
    assert rows["trials"].to_dict() == {"c0000-r1": 2, "c0001-r1": 1}


def test_a_run_at_a_time_is_in_memory(store):
    fields = dataclasses.asdict(entry())
    names = [f"c{number:04d}-r1" for number in range(2000)]
    store.journal_path.write_text("".join(json.dumps(fields | {"run_id": n}) + "\n" for n in names))
    tracemalloc.start()
    try:
        read = [of_run[0].run_id for of_run in runs_in(store.journal_path)]
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == names
    assert most_bytes < 500 * len(names), "places of lines; a trial takes some 3000 bytes"


def test_a_provenance_of_another_shape_is_no_provenance(store):
    fields = dataclasses.asdict(Provenance(campaign="x", git_revision="y", argv=()))
    del fields["argv"]
    (store.folder / "provenance.json").write_text(json.dumps(fields))
    with pytest.raises(BadInputError, match="provenance="):
        store.provenance()
