"""Small campaigns for the lab's tests."""

import json
import subprocess
import time

import pytest

SMALL = """
name = "small"
lab = "veth"
repetitions = {repetitions}
trials = {trials}
trial_seconds = 0.02
warm_up_seconds = 0.01
canary_every = 4
seed = 3

[[cells]]
mode = "serial"
datapath = ["xdp_native", "xdp_generic"]
program = ["map_lookup"]
memory_accesses = [0, 100]
queues = [1]
frame_bytes = [64, "imix"]
link_gbps = 10.0
offered_mpps = ["line"]
"""


@pytest.fixture
def small_campaign(tmp_path):
    def write(repetitions=1, trials=1):
        path = tmp_path / "small.toml"
        path.write_text(SMALL.format(repetitions=repetitions, trials=trials))
        return path

    return write


def _listed(*argv):
    """What a tool lists; bpftool fails when an object goes while it walks the list."""
    words = ""
    for _ in range(50):
        done = subprocess.run([*argv], capture_output=True, text=True, check=False)
        if not done.returncode:
            return json.loads(done.stdout or "[]")
        words = done.stderr
        time.sleep(0.1)
    raise AssertionError(f"{argv}: {words}")


@pytest.fixture
def kernel_objects():
    """What a lab may leave behind, as the kernel lists it now."""

    def look():
        return {
            "programs": {p["id"] for p in _listed("bpftool", "-j", "prog", "list")},
            "links": {x["id"] for x in _listed("bpftool", "-j", "link", "list")},
            "namespaces": {n["ns"] for n in _listed("lsns", "-J", "-t", "net")["namespaces"]},
            "devices": {d["ifname"] for d in _listed("ip", "-j", "link")},
            "sysctls": subprocess.run(
                ["sysctl", "-a", "-r", r"^(net\.core|kernel\.bpf)"],
                capture_output=True, text=True, check=True,
            ).stdout,
        }  # fmt: skip

    return look
