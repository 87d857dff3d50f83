"""Lines of a journal are known when they are not as they were written."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.files.lines import append_line, check_line, set_aside_spoiled, with_checksum
from linerate.files.store import Store

from .finished import BOX, PLAN, PROVENANCE, entry

LINE = with_checksum(json.dumps({"run_id": "c0000-r1", "sent_packets": 120345}).encode())


@given(place=st.integers(0, len(LINE) - 1), byte=st.integers(0x20, 0x7E))
def test_no_changed_byte_goes_unseen_that_changes_a_number(place, byte):
    changed = LINE[:place] + bytes([byte]) + LINE[place + 1 :]
    try:
        check_line(changed)
    except ValueError:
        return
    read = json.loads(changed)  # what is left: the checksum's own name
    assert read["run_id"], read["sent_packets"] == ("c0000-r1", 120345)


@pytest.fixture
def store(tmp_path):
    begun = Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)
    for second in range(4):
        begun.append(entry(f"c000{second}-r1", second))
    return begun


def flip_a_digit(path, number):
    lines = path.read_text().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace('"sent_packets": 990', '"sent_packets": 991')
    path.write_text("".join(lines))


def test_a_flipped_digit_is_refused_by_the_line(store):
    flip_a_digit(store.journal_path, 2)
    with pytest.raises(
        BadInputError, match=r"journal\.jsonl:2: this line is not a trial.*--resume"
    ):
        list(store.entries())


def test_resuming_sets_spoiled_lines_aside_and_keeps_the_others(store):
    flip_a_digit(store.journal_path, 2)
    with store.journal_path.open("a") as journal:
        journal.write("\0\0\0\n")
    before = store.journal_path.read_bytes().splitlines()
    again = Store.resume(store.folder, PLAN, BOX)
    assert again.spoiled == ("journal.jsonl:2", "journal.jsonl:5")
    assert [e.run_id for e in again.entries()] == ["c0000-r1", "c0002-r1", "c0003-r1"]
    beside = store.folder / "journal.jsonl.spoiled"
    assert beside.read_bytes().splitlines() == [before[1], before[4]]
    assert Store.resume(store.folder, PLAN, BOX).spoiled == ()


def test_a_journal_of_before_checksums_is_whole(store):
    lines = store.journal_path.read_text().splitlines()
    without = [json.dumps({k: v for k, v in json.loads(x).items() if k != "crc32"}) for x in lines]
    store.journal_path.write_text("\n".join(without) + "\n")
    assert set_aside_spoiled(store.journal_path) == ()
    assert len(list(store.entries())) == 4


def test_nothing_is_appended_through_a_link(tmp_path):
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("mine\n")
    os.symlink(foreign, tmp_path / "journal.jsonl")
    with pytest.raises(OSError, match="symbolic links"):
        append_line(tmp_path / "journal.jsonl", {"run_id": "x"})
    assert foreign.read_text() == "mine\n"


def test_a_trial_that_began_at_no_time_is_refused_by_its_line(store):
    """A line of before checksums: what watches and what makes tables would ask when it was."""
    first, *others = store.journal_path.read_text().splitlines()
    fields = {name: value for name, value in json.loads(first).items() if name != "crc32"}
    fields["trial"]["started_at"] = "2026-11-20T1:47:01+00:00"
    store.journal_path.write_text("\n".join([json.dumps(fields), *others]) + "\n")
    with pytest.raises(BadInputError, match=r"journal\.jsonl:1: this line is not a trial"):
        list(store.entries())
