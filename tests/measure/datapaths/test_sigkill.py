"""SIGKILL at any moment leaves nothing behind and loses no finished trial."""

import random
import signal
import time

import pytest

from linerate.tables.runs import read_runs

from ... import warm
from ..leftovers import kernel_objects, left_behind

pytestmark = pytest.mark.long

KILLS, REPETITIONS = 20, 6
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
NEEDS = {"swx": [pytest.mark.dpdk]}
QUICK = ("af_xdp", "tc")
"""The others are deep: they die of the same, and their devices' ends are tested apart."""
SET_UP_SECONDS = 0.8
"""From the start of the process until the first trials, about."""
PATIENCE_SECONDS = 120.0
"""Longest wait for a trial on a machine that is busy with other things."""


def marks_of(name):
    return [*NEEDS.get(name, ()), *([] if name in QUICK else [pytest.mark.deep])]


def measure(plan, out):
    """Begin a campaign, or go on with it."""
    resume = ["--resume"] * (out / "journal.jsonl").exists()
    return warm.start("measure", plan, "--out", out, *resume)


def finished_trials(out):
    journal = out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def await_one_more_trial(process, out, before):
    """Wait until a trial is finished, however long that takes here, or the campaign ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while finished_trials(out) <= before and process.poll() is None:
        assert time.monotonic() < end, "no trial finished"
        time.sleep(0.02)


@pytest.mark.deep
@pytest.mark.root
def test_twenty_kills_leave_nothing_and_lose_nothing(small_campaign, tmp_path, mark):
    plan, out = small_campaign(repetitions=REPETITIONS), tmp_path / "out"
    before = kernel_objects()
    moments = random.Random(7)
    for kill in range(KILLS):
        finished = finished_trials(out)
        process = measure(plan, out)
        if kill % 2:  # every other kill comes at a trial, the rest at any moment of the set-up
            await_one_more_trial(process, out, finished)
        time.sleep(moments.random() * (0.2 if kill % 2 else SET_UP_SECONDS))
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_behind(before) == {}, f"after kill {kill}"
        assert finished_trials(out) >= finished
    finished = finished_trials(out)
    assert finished > 0, "no trial finished between the kills: the test showed nothing"
    last = measure(plan, out)
    assert last.wait() == 0, last.communicate()
    runs = read_runs([out])
    assert (
        runs.groupby(["datapath", "memory_accesses", "frame_bytes"])["repetition"]
        .nunique()
        .eq(REPETITIONS)
        .all()
    )
    assert finished_trials(out) >= finished


@pytest.mark.root
@pytest.mark.parametrize(
    "datapath", [pytest.param(name, marks=marks_of(name)) for name in DATAPATHS]
)
def test_kills_leave_nothing_of_any_datapath(datapath, tmp_path, mark):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    lab = LABS.get(datapath, "veth")
    plan.write_text(
        f'name = "killed"\nlab = "{lab}"\nrepetitions = 50\nretries = 0\ntrial_seconds = 0.1\n'
        f'warm_up_seconds = 0.02\n[[cells]]\ndatapath = ["{datapath}"]\n{DATAPATHS[datapath]}'
    )
    before = kernel_objects()
    moments = random.Random(datapath)
    for kill in range(KILLS_OF_EACH):
        finished = finished_trials(out)
        process = measure(plan, out)
        if kill:  # the first comes at any moment of the set-up, the others at a trial
            await_one_more_trial(process, out, finished)
        time.sleep(moments.random() * (0.5 if kill else SET_UP_SECONDS))
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_behind(before) == {}, f"after kill {kill}"
    assert finished_trials(out) > 0, "no trial finished: no test"
