"""What a command writes is whole, and never what it reads, a device or another file of its own."""

import os
import stat

import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.files.outputs import check_outputs, check_table, write_table, write_whole
from linerate.tables.runs import read_table


def test_what_is_read_is_never_written_over(tmp_path):
    runs = tmp_path / "runs.csv"
    runs.touch()
    with pytest.raises(BadInputError, match="it is read by this command; allowed: a file of its"):
        check_outputs({"out": tmp_path / "sub" / ".." / "runs.csv"}, [runs])


@pytest.mark.parametrize("name", ["runs.csv", "runs.parquet", "journal.jsonl", "campaign.toml"])
def test_a_campaigns_own_files_are_never_written_over(tmp_path, name):
    with pytest.raises(BadInputError, match="it is read by this command"):
        check_outputs({"out": tmp_path / name}, [tmp_path])
    check_outputs({"out": tmp_path / "model.json"}, [tmp_path])


def test_two_outputs_need_two_names(tmp_path):
    model = tmp_path / "m.json"
    with pytest.raises(BadInputError, match=r"card=.*m\.json"):
        check_outputs({"out": model, "card": model, "box": None})


@pytest.mark.parametrize(("place", "why"), [("", "it is a folder"), ("none/x", "does not exist")])
def test_what_cannot_be_written_is_refused_at_once(tmp_path, place, why):
    with pytest.raises(BadInputError, match=why):
        check_outputs({"out": tmp_path / place})


@pytest.mark.parametrize("name", ["x.xlsx", "x", "x.csv.gz"])
def test_a_name_of_no_table_is_refused(tmp_path, name):
    with pytest.raises(BadInputError, match=r"a name ending in \.csv or"):
        check_table(tmp_path / name)


def test_a_pipe_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    check_outputs({"out": path})
    check_table(path)
    write_whole(path, b"answer")
    assert os.read(reader, 100) == b"answer"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_link_is_followed_and_stays_one(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "there.csv")
    table = pd.DataFrame({"a": [0.1 + 0.2]})
    write_table(tmp_path / "link.csv", table)
    assert (tmp_path / "link.csv").is_symlink()
    assert read_table(tmp_path / "there.csv").equals(table)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "there.csv"]
