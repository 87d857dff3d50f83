"""A campaign's folder is watched without being touched."""

import os
import subprocess
import sys

import pytest

from linerate.errors import BadInputError
from linerate.files.alone import alone_in
from linerate.measure.live import folder as live_folder
from linerate.measure.live.folder import Watched, file_system_of

from ...files.test_alone import HOLD
from .planted import INVALID, RUNS, folder, trial, trials


def names(events):
    return [event.event for event in events]


def state_of(path):
    return {each.name: each.stat().st_mtime_ns for each in path.rglob("*")}


def test_an_ended_campaign_is_told_whole_and_nothing_is_written(tmp_path):
    folder(tmp_path / "out", trials())
    before = state_of(tmp_path)
    watched = Watched.open(tmp_path / "out")
    events = watched.look()
    assert names(events)[0] == "campaign_begun"
    assert names(events).count("run_judged") == len(RUNS)
    assert names(events)[-1] == "campaign_ended"
    assert (watched.state, watched.exit_code, watched.is_over) == ("ended", 0, True)
    assert state_of(tmp_path) == before


def test_what_failed_has_an_exit_code_of_its_own(tmp_path):
    failed = trial(RUNS[-1], 99, verdict=INVALID, failure="it crashed")
    folder(tmp_path / "out", [*trials(len(RUNS) - 1), failed])
    watched = Watched.open(tmp_path / "out")
    watched.look()
    assert (watched.state, watched.exit_code) == ("ended", 5)


def test_a_campaign_whose_owner_was_killed_is_told_from_one_that_goes_on(tmp_path):
    out = tmp_path / "out"
    store = folder(out, trials(2))
    argv = [sys.executable, "-c", HOLD, str(out)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == "held\n"
        watched = Watched.open(out)
        assert names(watched.look()).count("trial_finished") == 2
        assert (watched.state, watched.owner) == ("measuring", owner.pid)
        view = watched.view(0.0)
        assert view
        assert view.current
        assert view.current.id == RUNS[2].run_id
        store.append(trials(3)[2])
        assert names(watched.look()) == ["trial_finished", "run_finished", "run_judged"]
        assert watched.look() == ()
        assert not watched.is_over
        owner.kill()
    assert names(watched.look()) == ["campaign_ended"]
    assert (watched.state, watched.exit_code) == ("stopped", 3)


def test_asking_does_not_keep_the_owner_out(tmp_path):
    out = tmp_path / "out"
    folder(out)
    watched = Watched.open(out)
    watched.look()
    with alone_in(out):
        watched.look()
        assert (watched.state, watched.owner) == ("measuring", os.getpid())


def test_a_half_written_line_is_read_once_it_is_whole(tmp_path):
    store = folder(tmp_path / "out", trials(2))
    whole = store.journal_path.read_bytes()
    store.journal_path.write_bytes(whole[:-40])
    watched = Watched.open(tmp_path / "out")
    assert names(watched.look()).count("trial_finished") == 1
    store.journal_path.write_bytes(whole)
    assert names(watched.look())[0] == "trial_finished"
    assert watched.spoiled == 0


def test_a_spoiled_line_is_counted_and_a_journal_set_anew_is_read_again(tmp_path):
    store = folder(tmp_path / "out", trials(3))
    first, second, third = store.journal_path.read_bytes().splitlines(keepends=True)
    store.journal_path.write_bytes(first + second.replace(b"990", b"991") + third)
    watched = Watched.open(tmp_path / "out")
    assert names(watched.look()).count("trial_finished") == 2
    assert watched.spoiled == 1
    fresh = store.journal_path.with_suffix(".new")
    fresh.write_bytes(first + third)
    fresh.replace(store.journal_path)
    again = names(watched.look())
    assert (again[0], again.count("trial_finished"), watched.spoiled) == ("campaign_begun", 2, 0)


def test_an_adaptive_campaign_ends_where_it_chooses(tmp_path):
    folder(tmp_path / "out", trials(2), argv=("linerate", "measure", "--until-error=5%"))
    watched = Watched.open(tmp_path / "out")
    watched.look()
    assert (watched.state, watched.exit_code) == ("ended", 0)
    view = watched.view(0.0)
    assert view
    assert view.adaptive


def test_a_journal_that_grows_on_another_machine_is_no_end(tmp_path, monkeypatch):
    folder(tmp_path / "out", trials(2))
    assert file_system_of(tmp_path) in live_folder.LOCAL
    monkeypatch.setattr(live_folder, "LOCAL", frozenset())
    watched = Watched.open(tmp_path / "out")
    watched.look()
    assert (watched.state, watched.exit_code, watched.is_over) == ("elsewhere", 0, False)
    os.utime(tmp_path / "out/journal.jsonl", (0, 0))
    watched.look()
    assert watched.state == "stopped"


def test_a_folder_that_is_about_to_be_begun_is_waited_for(tmp_path):
    out = tmp_path / "out"
    with alone_in(out):
        watched = Watched.open(out)
        assert watched.look() == ()
        assert (watched.state, watched.view(0.0)) == ("not begun", None)
        folder(out)
        assert names(watched.look()) == ["campaign_begun"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no such file or folder"),
        (lambda path: path.mkdir(), "no campaign was measured into this folder"),
        (lambda path: path.write_text("x"), "it is not a folder"),
        (lambda path: [folder(path / name, trials(1)) for name in "ab"], "folder of 2 campaigns, "
         "not one: a, b"),
        (lambda path: (path.mkdir(), (path / "runs.csv").touch()), "a table of runs"),
    ],
)  # fmt: skip
def test_what_no_campaign_is_measured_into_is_refused(make, words, tmp_path):
    make(tmp_path / "out")
    with pytest.raises(BadInputError, match=words):
        Watched.open(tmp_path / "out")
