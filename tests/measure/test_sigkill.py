"""SIGKILL at any moment leaves nothing behind and loses no finished trial."""

import random
import signal
import subprocess
import sys
import time

import pytest

from linerate.measure.system.dpdk import dpdk
from linerate.measure.system.machine import look as look_at_machine
from linerate.runs import read_runs

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
DPDK = dpdk(look_at_machine())
NEEDS = {
    "swx": [
        pytest.mark.dpdk,
        pytest.mark.skipif(not DPDK.ok, reason=f"needs DPDK: {DPDK.detail}"),
    ]
}
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


@pytest.mark.root
@pytest.mark.parametrize(
    "datapath", [pytest.param(name, marks=NEEDS.get(name, [])) for name in DATAPATHS]
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
        resumed = ["--resume"] if (out / "journal.jsonl").exists() else []
        process = subprocess.Popen(measure(plan, out, *resumed), stderr=subprocess.DEVNULL)
        time.sleep(2.0 + moments.random() * 1.5)
        assert process.poll() is None, f"it ended by itself with {process.returncode}"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert settled(kernel_objects, before) == before, f"after kill {kill}"
    assert (out / "journal.jsonl").read_bytes().count(b"\n") > 0, "no trial finished: no test"
