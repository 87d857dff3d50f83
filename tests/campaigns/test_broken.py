"""What is spoiled in a store is named, and the rest answers."""

import hashlib
import json
from dataclasses import replace

import pytest

import linerate as lr
from linerate.campaigns.listing import MANIFEST_BYTES_MAX
from linerate.errors import BadInputError

from .planted import ROWS, campaign, put


@pytest.fixture
def lab(tmp_path):
    """Give a store of three campaigns, their manifests, and its folder."""
    store = lr.store(tmp_path)
    return store, [put(store, number) for number in range(3)], tmp_path


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def changed(path):
    content = bytearray(path.read_bytes())
    content[2000:2040] = bytes(40)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(cut, "bytes"), (changed, "not what was written"), (lambda path: path.unlink(), "not there")],
    ids=["half-written", "changed", "gone"],
)
def test_a_spoiled_file_of_runs_is_named_and_the_rest_answers(lab, spoil, why):
    store, manifests, folder = lab
    spoil(folder / manifests[1].part)
    runs = store.runs()
    assert set(runs.table["campaign"]) == {"nightly-0", "nightly-2"}
    assert len(runs.notes) == 1
    assert "nightly-1" in runs.notes[0]
    assert why in runs.notes[0]
    verified = store.verify()
    assert (verified.campaigns, len(verified.broken)) == (2, 1)
    assert why in verified.broken[0].why


@pytest.mark.parametrize(
    ("field", "value"),
    [("part", "../mine.parquet"), ("id", "../../../mine"), ("rows_hash", "../" * 8)],
)
def test_a_manifest_that_names_a_file_elsewhere_is_broken_and_drops_nothing(lab, field, value):
    store, manifests, folder = lab
    theirs = folder.parent / "mine.parquet"
    theirs.write_bytes((folder / manifests[1].part).read_bytes())
    path = folder / manifests[1].path
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    assert "part: it is not where the runs of this campaign lie" in store.runs().notes[0]
    put(store, 1)
    assert theirs.exists()


@pytest.mark.parametrize("spoil", [cut, changed])
def test_sql_answers_without_what_is_spoiled(lab, spoil):
    store, manifests, folder = lab
    spoil(folder / manifests[1].part)
    answer = store.query("from runs")
    assert (len(answer.table), len(answer.notes)) == (2 * ROWS, 1)
    assert "nightly-1" in answer.notes[0]


def test_a_value_changed_on_disk_is_seen_by_verify(lab):
    store, manifests, folder = lab
    path = folder / manifests[0].part
    content = bytearray(path.read_bytes())
    content[5] ^= 1
    path.write_bytes(content)
    assert [one.campaign for one in store.verify().broken] == ["nightly-0"]


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"{", "EOF"), (b"[]", "dictionary"), (b'{"schema_version": 2}', "newer linerate.*schema 2"),
     (b'{"schema_version": 1, "id": 3}', "string")],
)  # fmt: skip
def test_a_spoiled_manifest_is_named_and_the_rest_answers(lab, content, why):
    store, manifests, folder = lab
    (folder / manifests[1].path).write_bytes(content)
    runs = store.runs()
    assert len(runs) == 2 * ROWS
    assert manifests[1].path in runs.notes[0]
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(runs.notes[0])
    assert len(store.verify().broken) == 1
    assert store.verify().unnamed == ()  # whose file that is cannot be known


def test_nothing_at_all_left_is_an_error_that_says_what_is_broken(lab):
    store, manifests, folder = lab
    for one in manifests:
        cut(folder / one.part)
    with pytest.raises(BadInputError, match=r"3 files could not be read: .*bytes"):
        store.runs()


def test_what_a_killed_writer_leaves_is_never_read(lab):
    store, manifests, folder = lab
    (folder / manifests[1].path).unlink()  # killed between the runs and their manifest
    (folder / f"{manifests[2].path}.abc.new").write_bytes(b"{")  # killed while it wrote
    assert len(store.runs()) == 2 * ROWS
    assert store.runs().notes == ()
    assert store.verify().unnamed == (manifests[1].part,)
    assert put(store, 1) is not None  # added again, it is whole
    assert len(store.runs()) == 3 * ROWS


@pytest.mark.parametrize(("content", "output"), [('{"schema_version": 9}', "newer linerate"),
                                               ("{", "spoiled")])  # fmt: skip
def test_a_store_of_the_future_is_refused(lab, content, output):
    store, _, folder = lab
    (folder / "linerate-store.json").write_text(content)
    for ask in (store.listing, store.runs, store.add):
        with pytest.raises(BadInputError, match=output):
            ask()


def test_runs_of_the_future_are_refused(tmp_path):
    path = tmp_path / "runs.parquet"
    campaign(0, schema_version=2).to_parquet(path)
    with pytest.raises(BadInputError, match=r"schema_version=2: .*runs.parquet is of a newer"):
        lr.store(tmp_path / "lab").add(path)


def test_a_manifest_reads_back_as_it_was_written(lab):
    store, manifests, folder = lab
    assert list(store.listing().manifests) == manifests
    assert json.loads((folder / manifests[0].path).read_text())["sha256"] == manifests[0].sha256


def another_part(folder, manifest, table):
    """Put another table in the place of a campaign's runs, with a manifest that fits it."""
    table.to_parquet(folder / manifest.part)
    content = (folder / manifest.part).read_bytes()
    own = replace(manifest, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
    (folder / manifest.path).write_bytes(own.to_json())


@pytest.mark.parametrize(
    "columns",
    [{"queues": [[1]] * ROWS}, {"frame_bytes": ["many"] * ROWS},
     {"memory_accesses": [b"\xff"] * ROWS},
     {"forwarded_mpps": [{"a": 1}] * ROWS}, {"run_id": [b"\xff\xfe"] * ROWS}],
    ids=["list", "text", "bytes", "record", "no UTF-8"],
)  # fmt: skip
def test_a_whole_file_with_columns_that_no_run_has_is_named_and_the_rest_answers(lab, columns):
    store, manifests, folder = lab
    another_part(folder, manifests[1], campaign(1).assign(**columns))
    runs = store.runs()
    assert set(runs.table["campaign"]) == {"nightly-0", "nightly-2"}
    assert "nightly-1: its columns are not those of runs" in runs.notes[0]
    answer = store.query("select distinct campaign from runs where frame_bytes > 0 "
                         "and run_id != '' and box != '' and forwarded_mpps > 0 "
                         "and memory_accesses >= 0 and queues > 0")  # fmt: skip
    assert set(answer.table["campaign"]) == {"nightly-0", "nightly-2"}


def test_a_manifest_changes_no_column_that_every_campaign_has(lab):
    store, manifests, folder = lab
    told = {"box": "int64", "forwarded_mpps": "string", "campaign_id": "bool"}
    own = replace(manifests[1], columns=told)
    (folder / own.path).write_bytes(own.to_json())
    assert len(store.runs()) == 3 * ROWS
    assert store.runs().notes == ()


def test_a_manifest_that_is_too_large_is_named_and_not_read(lab):
    store, manifests, folder = lab
    (folder / manifests[1].path).write_bytes(b" " * (MANIFEST_BYTES_MAX + 1))
    assert f"it has {MANIFEST_BYTES_MAX + 1} bytes" in store.runs().notes[0]
