"""SIGKILL at any moment leaves nothing behind and loses no finished trial."""

import random
import signal
import subprocess
import sys
import time

import pytest

from linerate.tables.runs import read_runs

KILLS = 20
KILLS_OF_EACH = 3
"""Of each datapath, at moments spread over its set-up, trials and end."""
COMMON = "queues = [1]\nlink_gbps = inf\n"
FLOOD = COMMON + 'frame_bytes = [64]\noffered_mpps = ["flood"]\n'
DATAPATHS = {
    "af_xdp": 'mode = "serial"\nprogram = ["xsk_memcpy"]\n' + FLOOD,
    "tc": 'mode = "split"\nprogram = ["drop_udp_subnet"]\npings_per_second = 50.0\n' + FLOOD,
    "netfilter": 'mode = "serial"\nprogram = ["drop_all"]\n' + FLOOD,
    "nftables": 'mode = "serial"\nprogram = ["drop_all"]\ngenerator = "hping3"\n' + FLOOD,
    "iptables": 'mode = "serial"\nprogram = ["drop_all"]\n'
    'filter = { flavour = ["nft", "legacy"] }\n' + FLOOD,
    "chain": 'mode = "split"\nprogram = ["wire"]\n'
    'chain = { length = [2], function = ["raw_socket", "af_xdp", "tc"] }\n'
    'generator = "ping"\npings_per_second = 100.0\nframe_bytes = [102]\n' + COMMON,
    "swx": 'mode = "split"\nprogram = ["forward"]\npipeline = { port = ["af_xdp"] }\n' + FLOOD,
}
LABS = {"swx": "dpdk"}
NEEDS = {"swx": pytest.mark.dpdk}
SET_UP_SECONDS = 1.5
"""From the start of the process until the first trials, about."""
SETTLE_SECONDS = 10.0
PATIENCE_SECONDS = 120.0
"""Longest wait for a trial on a machine that is busy with other things."""


def measure(plan, out):
    """Begin a campaign, or go on with it."""
    return [
        sys.executable, "-c", "from linerate.cli import main; main()", "measure", str(plan),
        "--out", str(out), *["--resume"] * (out / "journal.jsonl").exists(),
    ]  # fmt: skip


def left_behind(look, before):
    """What is there and was not; namespaces go a moment after their last process, so wait.

    What was there and is gone was another process's: it ended meanwhile.
    """
    end = time.monotonic() + SETTLE_SECONDS
    while (left := _new(look(), before)) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def _new(now, before):
    kinds = {
        kind: found - before[kind] if isinstance(found, set) else found
        for kind, found in now.items()
        if found != before[kind]
    }
    return {kind: found for kind, found in kinds.items() if found}


def finished_trials(out):
    journal = out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def await_one_more_trial(process, out, before):
    """Wait until a trial is finished, however long that takes here, or the campaign ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while finished_trials(out) <= before and process.poll() is None:
        assert time.monotonic() < end, "no trial finished"
        time.sleep(0.02)


@pytest.mark.root
def test_twenty_kills_leave_nothing_and_lose_nothing(small_campaign, tmp_path, kernel_objects):
    plan, out = small_campaign(repetitions=8), tmp_path / "out"
    before = kernel_objects()
    moments = random.Random(7)
    for kill in range(KILLS):
        finished = finished_trials(out)
        process = subprocess.Popen(measure(plan, out), stderr=subprocess.DEVNULL)
        if kill % 2:  # every other kill comes at a trial, the rest at any moment of the set-up
            await_one_more_trial(process, out, finished)
        time.sleep(moments.random() * (0.2 if kill % 2 else SET_UP_SECONDS))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_behind(kernel_objects, before) == {}, f"after kill {kill}"
        assert finished_trials(out) >= finished
    finished = finished_trials(out)
    assert finished > 0, "no trial finished between the kills: the test showed nothing"
    done = subprocess.run(measure(plan, out), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs = read_runs([out])
    assert (
        runs.groupby(["datapath", "memory_accesses", "frame_bytes"])["repetition"]
        .nunique()
        .eq(8)
        .all()
    )
    assert finished_trials(out) >= finished


@pytest.mark.root
@pytest.mark.parametrize(
    "datapath", [pytest.param(name, marks=NEEDS.get(name, ())) for name in DATAPATHS]
)
def test_kills_leave_nothing_of_any_datapath(datapath, tmp_path, kernel_objects):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    lab = LABS.get(datapath, "veth")
    plan.write_text(
        f'name = "killed"\nlab = "{lab}"\nrepetitions = 50\ntrial_seconds = 0.1\n'
        f'warm_up_seconds = 0.02\n[[cells]]\ndatapath = ["{datapath}"]\n{DATAPATHS[datapath]}'
    )
    before = kernel_objects()
    moments = random.Random(datapath)
    for kill in range(KILLS_OF_EACH):
        finished = finished_trials(out)
        process = subprocess.Popen(measure(plan, out), stderr=subprocess.DEVNULL)
        if kill:  # the first comes at any moment of the set-up, the others at a trial
            await_one_more_trial(process, out, finished)
        time.sleep(moments.random() * (0.5 if kill else SET_UP_SECONDS))
        assert process.poll() is None, f"it ended by itself with {process.returncode}"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_behind(kernel_objects, before) == {}, f"after kill {kill}"
    assert finished_trials(out) > 0, "no trial finished: no test"
