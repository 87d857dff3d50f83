"""Small campaigns for the lab's tests."""

import json
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from linerate.cli import main
from linerate.measure.system.machine import Machine

from .campaign.plans import FORM, plan

STARTED = {
    "traffic", "xdp_dut", "xsk_forward", "filter_dut", "nsh_stage", "nsh_rules", "chain_function",
    "swx_run", "swx_build", "hping3", "ping", "unshare", "nsenter",
}  # fmt: skip
"""Names of the processes that labs, datapaths and generators start."""


@pytest.fixture
def small_campaign(tmp_path):
    def write(repetitions=1, trials=1):
        path = tmp_path / "small.toml"
        path.write_text(
            plan(
                name='"small"', repetitions=repetitions, trials=trials, trial_seconds=0.02,
                warm_up_seconds=0.01, canary_every=4, offered_mpps='["line"]',
            )
        )  # fmt: skip
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


def _said(*argv):
    return subprocess.run([*argv], capture_output=True, text=True, check=False).stdout


def _running():
    for comm in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):  # it ended meanwhile
            yield comm.read_text().strip()


@pytest.fixture
def kernel_objects():
    """What a lab may leave behind, as the kernel lists it now."""

    def look():
        return {
            "programs": {p["id"] for p in _listed("bpftool", "-j", "prog", "list")},
            "links": {x["id"] for x in _listed("bpftool", "-j", "link", "list")},
            "namespaces": {n["ns"] for n in _listed("lsns", "-J", "-t", "net")["namespaces"]},
            "devices": {d["ifname"] for d in _listed("ip", "-j", "link")},
            "rules": _said("nft", "list", "ruleset") + _said("iptables-legacy-save"),
            "qdiscs": _said("tc", "qdisc", "show"),
            "mounts": Path("/proc/self/mounts").read_text(),
            "processes": {name for name in _running() if name in STARTED},
            "sysctls": subprocess.run(
                ["sysctl", "-a", "-r", r"^(net\.core|kernel\.bpf)"],
                capture_output=True, text=True, check=True,
            ).stdout,
        }  # fmt: skip

    return look


@pytest.fixture
def bare(tmp_path):
    """Build a machine of the files given, on which nothing was tried."""

    def build(files=(), release="6.18.1", attempts=(), **fields):
        for name, text in dict(files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Machine(root=tmp_path, release=release, attempts=tuple(attempts), **fields)

    return build


@pytest.fixture
def refusal(tmp_path, capsys):
    """Run the command on a file of this text and return the line that it refuses it with."""

    def run(text):
        path, out = tmp_path / "plan.toml", tmp_path / "out"
        if isinstance(text, bytes):
            path.write_bytes(text)
        elif text is not None:
            path.write_text(text)
        with pytest.raises(SystemExit) as ended:
            main(["measure", str(path), "--out", str(out)])
        said = capsys.readouterr()
        assert ended.value.code == 2
        assert said.out == ""
        assert FORM.fullmatch(said.err), said.err
        assert str(path) in said.err
        assert not out.exists(), "a refused campaign left a folder"
        return said.err

    return run
