"""A command whose answer nobody takes, or whose words are odd, ends in clear words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "data/reference-castanho"


def linerate(*words, **options):
    argv = [sys.executable, "-c", "from linerate.cli import main; main()", *words]
    return subprocess.run(argv, stderr=subprocess.PIPE, check=False, **options)


@pytest.mark.parametrize("words", [["--help"], ["lint", RUNS], ["lint", RUNS, "--json"]])
def test_a_full_disk_behind_stdout_is_named(words):
    with Path("/dev/full").open("wb") as full:
        done = linerate(*words, stdout=full)
    assert done.returncode == 3
    assert done.stderr.startswith(b"linerate: the answer cannot be written (No space left")


def test_a_reader_that_has_enough_is_no_answer_that_is_no():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = linerate("lint", RUNS, stdout=closed)
    assert (done.returncode, done.stderr) == (141, b"")


def test_signs_that_a_locale_lacks_are_printed_as_escapes():
    ascii_alone = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = linerate("doctor", "--quiet", stdout=subprocess.PIPE, env=ascii_alone)
    assert (done.returncode, done.stderr) == (0, b"")
    done.stdout.decode("ascii")


def test_a_name_that_is_no_utf8_is_refused_before_anything_is_done(tmp_path):
    campaign = os.fsencode(tmp_path) + b"/caf\xe9.toml"
    out = tmp_path / "out"
    done = linerate("measure", campaign, "--out", out, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert b"caf\\udce9.toml': it is not UTF-8; allowed: names in UTF-8;" in done.stderr
    assert not out.exists()


def test_a_name_without_end_is_refused_and_not_repeated():
    done = linerate("lint", "a" * 5000, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert b"... (5000 characters): it cannot be used (File name too long)" in done.stderr
    assert len(done.stderr) < 1000


def test_what_a_file_says_moves_no_cursor(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('name = "own"\nlab = "\\u001b[2J\\u202eveth"\n')
    done = linerate("measure", plan, "--out", tmp_path / "out", stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert b"\\x1b[2J" in done.stderr
    assert b"\x1b" not in done.stderr
