"""SIGKILL at any moment leaves nothing behind and loses no finished trial."""

import random
import signal
import subprocess
import sys
import time

import pytest

from linerate.runs import read_runs

KILLS = 20
SETTLE_SECONDS = 10.0


def measure(plan, out, *flags):
    return [
        sys.executable, "-c", "from linerate.cli import main; main()",
        "measure", str(plan), "--out", str(out), *flags,
    ]  # fmt: skip


def settled(look, expected):
    """Namespaces go a moment after their last process; wait for that, but not for ever."""
    end = time.monotonic() + SETTLE_SECONDS
    while (seen := look()) != expected and time.monotonic() < end:
        time.sleep(0.1)
    return seen


@pytest.mark.root
def test_twenty_kills_leave_nothing_and_lose_nothing(small_campaign, tmp_path, kernel_objects):
    plan, out = small_campaign(repetitions=8), tmp_path / "out"
    before = kernel_objects()
    moments = random.Random(7)
    finished = 0
    for kill in range(KILLS):
        began = (out / "journal.jsonl").exists()
        process = subprocess.Popen(
            measure(plan, out, *(["--resume"] if began else [])), stderr=subprocess.DEVNULL
        )
        time.sleep(1.0 + moments.random() * 1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert settled(kernel_objects, before) == before, f"after kill {kill}"
        if (out / "journal.jsonl").exists():
            whole_lines = (out / "journal.jsonl").read_bytes().count(b"\n")
            assert whole_lines >= finished
            finished = whole_lines
    assert finished > 0, "no trial finished between the kills: the test showed nothing"
    done = subprocess.run(
        measure(plan, out, "--resume"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    runs = read_runs([out])
    assert (
        runs.groupby(["datapath", "memory_accesses", "frame_bytes"])["repetition"]
        .nunique()
        .eq(8)
        .all()
    )
    assert (out / "journal.jsonl").read_bytes().count(b"\n") >= finished
