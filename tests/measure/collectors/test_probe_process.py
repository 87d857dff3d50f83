"""The process that probes: what it lacks is said, and it never outlives us."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.collectors import bcc
from linerate.measure.collectors.probed import check_probes

from ... import warm

TRACEPOINTS = ("napi_batches", "xdp_errors", "softirq")


@pytest.mark.root
def test_an_interpreter_without_bcc_is_named(monkeypatch):
    monkeypatch.setattr(bcc, "PYTHON", Path(sys.executable))
    with pytest.raises(CannotHereError, match=r"cannot import bcc.*linerate doctor"):
        check_probes(["softirq"])


def test_a_missing_interpreter_is_named(monkeypatch):
    monkeypatch.setattr(bcc, "PYTHON", Path("/nowhere/python3"))
    with pytest.raises(CannotHereError, match="/nowhere/python3 is not installed"):
        check_probes(["softirq"])


def script(*wrapper):
    """Run the probe's script as it is started, but inside something."""
    return subprocess.run(
        [*wrapper, bcc.PYTHON, "-I", bcc.SCRIPT, "--probe", "softirq", "--device", "lo"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.root
def test_missing_headers_and_missing_rights_are_said():
    hide = 'mount -t tmpfs none /lib/modules && exec "$@"'
    without_headers = script("unshare", "--mount", "sh", "-c", hide, "sh")
    assert without_headers.returncode == CannotHereError.exit_code
    assert without_headers.stderr == "no kernel headers in /lib/modules/*/build\n"
    without_rights = script("setpriv", "--reuid", "65534", "--clear-groups")
    assert without_rights.returncode == CannotHereError.exit_code
    assert "Operation not permitted" in without_rights.stderr


@pytest.mark.root
def test_a_probe_that_died_is_an_error_not_a_zero():
    with bcc.open_probes(["softirq"], ["lo"]) as probes:
        probes.held.process.kill()
        with pytest.raises(LinerateError, match="probes: killed by SIGKILL"):
            probes.counts()


def programs_of(pid):
    """Ids of the BPF programs that a process holds."""
    files = Path(f"/proc/{pid}/fdinfo").glob("*")
    lines = [line for path in files for line in path.read_text().splitlines()]
    return {int(line.split()[1]) for line in lines if line.startswith("prog_id:")}


def loaded_programs():
    listed = subprocess.run(
        ["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=True
    )
    return {program["id"] for program in json.loads(listed.stdout)}


@pytest.mark.root
def test_nothing_is_left_after_sigkill():
    mounts = Path("/proc/self/mounts").read_text()
    headers = sorted(Path("/lib/modules").iterdir())
    code = (
        "import time; from linerate.measure.collectors.bcc import open_probes\n"
        f"with open_probes({TRACEPOINTS!r}, ['lo']) as probes:\n"
        "    print(probes.held.process.pid, flush=True); time.sleep(60)"
    )
    ours = warm.start(program=code)
    probe = int(ours.readline())
    programs = programs_of(probe)
    assert programs and programs <= loaded_programs()
    ours.kill()
    ours.wait()
    end = time.monotonic() + 5.0
    while Path(f"/proc/{probe}").exists() or programs & loaded_programs():
        assert time.monotonic() < end, "the probe outlived us"
        time.sleep(0.05)
    assert Path("/proc/self/mounts").read_text() == mounts
    assert sorted(Path("/lib/modules").iterdir()) == headers
