"""Campaigns through the real command: refused, interrupted, resumed, side by side."""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from linerate.tables.runs import read_runs

from ... import warm
from ...needs import as_nobody

COMMAND = [sys.executable, "-c", "from linerate.cli import main; main()"]
BY_HANDLER = """
import signal
from linerate.cli import main
signal.signal(signal.SIGHUP, signal.SIG_{handler})
main()
"""
UNDER_NOHUP, AT_A_TERMINAL = (BY_HANDLER.format(handler=name) for name in ("IGN", "DFL"))
"""Whatever these tests themselves are under."""
PATIENCE_SECONDS = 60.0
CELLS, CANARIES = 8, 3
"""Of the small campaign in one repetition: a canary before each four runs, and one at the end."""


def measure(plan, out, *flags, before=(), **env):
    words = ["measure", plan, "--out", out, *flags]
    done = warm.run(*words, **env) if not before else cold(before, words, env)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def cold(before, words, env):
    """Run it in an interpreter of its own, by another command."""
    return subprocess.run(
        ["env", *(f"{name}={value}" for name, value in env.items()), *before, *COMMAND,
         *map(str, words)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def refused(done, exit_code, *words):
    assert done.returncode == exit_code, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"linerate: [^\n]+\n", done.stderr)
    for word in words:
        assert word in done.stderr


def journal_lines(out):
    journal = out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def begun(plan, out, trials, program=""):
    """Start a campaign and wait until so many trials are finished."""
    process = warm.start("measure", plan, "--out", out, program=program)
    end = time.monotonic() + PATIENCE_SECONDS
    while journal_lines(out) < trials and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    return process


def test_without_root_the_lab_is_refused_in_clear_words(tmp_path, repository):
    plan, out = repository / "data/campaigns/quick.toml", tmp_path / "out"
    nobody = as_nobody()
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o777)
        refused(measure(plan, out, before=nobody, HOME=home), 4, "root: ", "CAP_NET_ADMIN", "sudo")
    assert not out.exists()


@pytest.mark.root
def test_without_built_objects_the_lab_is_refused(small_campaign, tmp_path):
    (tmp_path / "nothing").mkdir()
    out = tmp_path / "out"
    done = measure(small_campaign(), out, LINERATE_BUILD=tmp_path / "nothing")
    refused(done, 4, "make setup")
    assert not out.exists()


@pytest.mark.root
def test_one_object_that_is_lacking_is_named_before_the_start(small_campaign, tmp_path, repository):
    shutil.copytree(repository / "build", tmp_path / "build")
    (tmp_path / "build/bpf/map_lookup.bpf.o").unlink()
    out = tmp_path / "out"
    done = measure(small_campaign(), out, LINERATE_BUILD=tmp_path / "build")
    refused(done, 4, "map_lookup.bpf.o: it is not built", "make setup")
    assert not out.exists()


@pytest.mark.root
def test_more_queues_than_cores_are_refused_without_a_folder(small_campaign, tmp_path):
    plan = Path(small_campaign())
    plan.write_text(plan.read_text().replace("queues = [1]", "queues = [1, 999]"))
    refused(measure(plan, tmp_path / "out"), 2, "queues=999: ", "; allowed: 1..")
    assert not (tmp_path / "out").exists()


@pytest.mark.root
def test_a_folder_that_cannot_be_written_is_refused(small_campaign):
    refused(measure(small_campaign(), "/proc/nowhere"), 3, "out=/proc/nowhere: ", "written")


@pytest.mark.root
def test_nothing_to_resume_is_refused(small_campaign, tmp_path):
    refused(measure(small_campaign(), tmp_path, "--resume"), 2, "no campaign to resume")


@pytest.mark.root
def test_a_campaign_ends_with_a_table_and_is_not_run_twice(small_campaign, tmp_path):
    plan, out = small_campaign(), tmp_path / "out"
    done = measure(plan, out, "--json")
    assert done.returncode == 0, done.stderr
    assert '"runs": 8' in done.stdout
    runs = read_runs([out])
    assert len(runs) == CELLS
    assert not runs["run_id"].str.startswith("canary").any()
    assert journal_lines(out) >= CELLS + CANARIES
    refused(measure(plan, out), 2, "it holds a campaign already", "--resume")
    before = journal_lines(out)
    assert measure(plan, out, "--resume").returncode == 0
    assert journal_lines(out) == before, "a finished campaign was measured again"


@pytest.mark.root
@pytest.mark.parametrize(
    ("asked", "code"),
    [
        pytest.param([signal.SIGINT], 130, id="Ctrl-C"),
        pytest.param([signal.SIGTERM] * 2, 143, id="SIGTERM twice", marks=pytest.mark.deep),
        pytest.param([signal.SIGHUP], 129, id="SIGHUP", marks=pytest.mark.deep),
    ],
)  # fmt: skip
def test_interrupt_keeps_finished_trials_and_resume_completes(
    asked, code, small_campaign, tmp_path
):
    plan, out = small_campaign(trials=2), tmp_path / "out"
    process = begun(plan, out, trials=3, program=AT_A_TERMINAL)
    for one in asked:
        process.send_signal(one)
        time.sleep(0.02)
    output, words = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == code, words
    assert output == ""
    assert f"Finished trials are in {out}; go on with --resume" in words
    assert "Traceback" not in words
    kept = (out / "journal.jsonl").read_bytes()
    assert kept.count(b"\n") >= 3
    assert kept.endswith(b"\n")
    assert (out / "runs.csv").exists(), "what was finished can be looked at"
    assert measure(plan, out, "--resume").returncode == 0
    assert (out / "journal.jsonl").read_bytes().startswith(kept), "a finished trial was lost"
    runs = read_runs([out])
    loads = runs.groupby(["datapath", "memory_accesses", "frame_mix"])["trials"].sum()
    assert len(loads) == CELLS, "a cell is missing"
    assert (runs["repetition"] == 1).all()


@pytest.mark.deep
@pytest.mark.root
def test_who_hangs_up_does_not_stop_a_campaign_that_ignores_it(small_campaign, tmp_path):
    out = tmp_path / "out"
    process = begun(small_campaign(), out, trials=3, program=UNDER_NOHUP)
    process.send_signal(signal.SIGHUP)
    _, words = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, words
    assert len(read_runs([out])) == CELLS


@pytest.mark.root
def test_a_changed_plan_is_not_mixed_in(small_campaign, tmp_path):
    plan, out = Path(small_campaign()), tmp_path / "out"
    process = begun(plan, out, trials=1)
    process.kill()
    process.communicate()
    kept = journal_lines(out)
    plan.write_text(plan.read_text().replace("0.02", "0.03"))
    refused(measure(plan, out, "--resume"), 2, "the plan differs from the one begun")
    assert journal_lines(out) == kept


@pytest.mark.deep
@pytest.mark.root
def test_two_campaigns_at_once_leave_each_other_alone(small_campaign, tmp_path):
    plan = small_campaign()
    outs = [tmp_path / "one", tmp_path / "other"]
    both = [begun(plan, out, trials=0) for out in outs]
    for process in both:
        _, words = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, words
    for out in outs:
        runs = read_runs([out])
        assert len(runs) == CELLS
        assert runs["forwarded_packets"].sum() > 1000
        assert (runs["forwarded_packets"] == runs["sent_packets"]).all(), "frames went astray"
