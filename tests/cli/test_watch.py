"""``linerate watch``: a campaign that another process measures, as a user sees it."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from linerate.cli import main

from ..measure.live.planted import RUNS, events_of, folder, trials
from ..needs import as_nobody


@pytest.fixture
def watch(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["watch", *map(str, words)])
        output = capsys.readouterr()
        code = int(ended.value.code or 0)
        return subprocess.CompletedProcess(words, code, output.out, output.err)

    return run


def test_an_ended_campaign_is_said_at_once(watch, tmp_path):
    folder(tmp_path / "out", trials())
    done = watch(tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "11 of 11 runs finished, 0 of 4 cells left" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_stopped_campaign_ends_with_three_and_says_why(watch, tmp_path):
    folder(tmp_path / "out", trials(2))
    done = watch(tmp_path / "out", "--quiet")
    assert done.returncode == 3
    assert done.stdout.startswith("planted: stopped before its end: no process measures it")


def test_once_is_one_object(watch, tmp_path):
    folder(tmp_path / "out", trials(2))
    done = watch(tmp_path / "out", "--once", "--json")
    output = json.loads(done.stdout)
    assert (output["event"], output["state"], output["finished_runs"]) == ("progress", "stopped", 2)
    assert done.returncode == 3


def test_events_begin_with_the_first_trial(watch, tmp_path):
    folder(tmp_path / "out", trials())
    events = events_of(watch(tmp_path / "out", "--json").stdout)
    assert [event["event"] for event in events[:2]] == ["campaign_begun", "trial_finished"]
    assert (events[-1]["event"], events[-1]["exit_code"]) == ("campaign_ended", 0)
    assert sum(event["event"] == "run_judged" for event in events) == len(RUNS)


def test_bad_folders_are_refused_in_one_line(watch, tmp_path):
    for name in "ab":
        folder(tmp_path / "all" / name, trials(1))
    done = watch(tmp_path / "all")
    assert done.returncode == 2
    assert "folder of 2 campaigns, not one: a, b" in done.stderr
    assert f"next: linerate watch {tmp_path}/all/a" in done.stderr
    done = watch(tmp_path / "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert "begin one: linerate measure" in done.stderr


def test_a_spoiled_line_is_a_note(watch, tmp_path):
    store = folder(tmp_path / "out", trials(3))
    store.journal_path.write_bytes(store.journal_path.read_bytes().replace(b"990", b"991", 1))
    assert "1 line of the journal" in watch(tmp_path / "out", "--once").stderr
    assert watch(tmp_path / "out", "--once", "--quiet").stderr == ""


def test_no_rights_are_needed():
    nobody = as_nobody()
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o755)
        folder(Path(open_to_all) / "out", trials())
        done = subprocess.run(
            [*nobody, sys.executable, "-c", "from linerate.cli import main; main()", "watch",
             f"{open_to_all}/out", "--once"],
            capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "planted: ended" in done.stdout
