"""A campaign begins in a folder of its own, and touches nothing of anybody's."""

import os

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.files.store import Store

from .finished import BOX, PLAN, PROVENANCE


def begin(folder, **files):
    return Store.create(folder, PLAN, BOX, PROVENANCE, files)


@pytest.mark.parametrize("name", ["runs.csv", "notes.txt", ".hidden", "box.json.old"])
def test_files_of_somebody_are_left_alone(name, tmp_path):
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(BadInputError, match=f"it holds {name}, which is not a campaign's; allowed"):
        begin(tmp_path)
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "mine\n"


@pytest.mark.parametrize("name", ["box.json", "provenance.json", "journal.jsonl"])
def test_a_planted_link_is_not_followed(name, tmp_path):
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("mine\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(foreign)
    with pytest.raises(BadInputError, match="it holds"):
        begin(out)
    assert foreign.read_text() == "mine\n"


def test_what_could_not_be_begun_is_begun_again(tmp_path):
    out = tmp_path / "out"
    (out / "provenance.json").mkdir(parents=True)  # nothing can be written there
    with pytest.raises(LinerateError, match="cannot be written"):
        begin(out, **{"own.toml": b"a = 1\n"})
    (out / "provenance.json").rmdir()
    (out / "box.json.new").write_text("cut sho")  # as SIGKILL leaves it
    assert list(begin(out, **{"own.toml": b"a = 1\n"}).entries()) == []
    assert not [path for path in out.iterdir() if path.suffix == ".new"]
