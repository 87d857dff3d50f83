"""SIGKILL of its owner takes a whole chain with it."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ... import warm

pytestmark = pytest.mark.root

OWNER = """
import json, time
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.chain.stages import run_chain
from linerate.measure.datapaths.chain.lab import open_chain_lab
chain = ChainSettings(length=2, function="af_xdp")
with open_chain_lab(chain) as lab, run_chain(lab, chain, 1) as running:
    runners = [p.pid for node in running.nodes for p in (node.stages.process,
               node.function.process if node.function else None) if p]
    holders = [*(node.namespace.pid for node in lab.nodes), lab.network.pid]
    print(json.dumps([holders, runners]), flush=True)
    time.sleep(60)
"""


def held_programs(pid):
    """Ids of the programs that a process holds."""
    found = set()
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        words = info.read_text().split()
        if "prog_id:" in words:
            found.add(int(words[words.index("prog_id:") + 1]))
    return found


def still_there(pids, programs):
    running = {pid for pid in pids if Path(f"/proc/{pid}").exists()}
    loaded = {number for number in programs if program_exists(number)}
    return running, loaded


def program_exists(number):
    argv = ["bpftool", "prog", "show", "id", str(number)]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_nothing_is_left_when_the_owner_is_killed():
    owner = warm.start(program=OWNER)
    held, runners = json.loads(owner.readline())
    programs = {number for pid in runners for number in held_programs(pid)}
    assert len(programs) >= 10, "classify, 2 x (dec, enc, fwd, cross), dec and cross at the end"
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    pids = held + runners
    end = time.monotonic() + 10.0
    while any(left := still_there(pids, programs)) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == (set(), set())
