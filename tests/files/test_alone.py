"""Two processes never measure into one folder."""

import os
import signal
import subprocess
import sys

import pytest

from linerate.errors import BadInputError
from linerate.files.alone import alone_in

HOLD = """
import sys, time
from pathlib import Path
from linerate.files.alone import alone_in
with alone_in(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_process_is_named_and_a_kill_frees_the_folder(tmp_path):
    out = tmp_path / "out"
    argv = [sys.executable, "-c", HOLD, str(out)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        (out / "journal.jsonl").touch()
        with (
            pytest.raises(BadInputError, match=f"process {holder.pid} measures into it"),
            alone_in(out),
        ):
            pass
        holder.send_signal(signal.SIGKILL)
    with alone_in(out):
        assert os.listdir(out) == ["journal.jsonl"]


def test_an_empty_folder_is_taken_away_again(tmp_path):
    with alone_in(tmp_path / "a/out"):
        assert (tmp_path / "a/out").is_dir()
    assert not (tmp_path / "a/out").exists()
    with alone_in(tmp_path / "kept"):
        (tmp_path / "kept/file").touch()
    assert (tmp_path / "kept/file").exists()


def test_what_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(BadInputError, match=r"out=.*it is not a folder"),
        alone_in(tmp_path / "file"),
    ):
        pass
