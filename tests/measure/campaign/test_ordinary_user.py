"""Who was given the capabilities that the documents name measures as root does."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from linerate.measure.system.machine import CAPABILITIES, CAPABILITIES_OF_SOME
from linerate.tables.runs import read_runs

from ...needs import NOBODY_ID, as_nobody_with

pytestmark = [pytest.mark.root, pytest.mark.usefixtures("mark")]
PLAN = """
name = "user"
lab = "veth"
repetitions = 1
trials = 1
retries = 0
trial_seconds = 0.05
warm_up_seconds = 0.0
[[cells]]
mode = "{mode}"
datapath = ["{datapath}"]
program = ["{program}"]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = [0.001]
{more}
"""


def measured(folder, cell, capabilities):
    plan = folder / "plan.toml"
    plan.write_text(PLAN.format(**{"more": ""} | cell))
    folder.chmod(0o777)
    return subprocess.run(
        as_nobody_with(capabilities, "measure", plan, "--out", folder / "out"),
        cwd="/", capture_output=True, text=True, check=False, timeout=120.0,
    )  # fmt: skip


@pytest.fixture
def folder():
    """Give a folder that anybody may get to, as those of pytest are not."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


NATIVE = {"mode": "serial", "datapath": "xdp_native", "program": "xdp_tx"}


def test_three_capabilities_measure_without_root(folder):
    done = measured(folder, NATIVE, CAPABILITIES)
    assert done.returncode == 0, done.stderr
    runs = read_runs([folder / "out"])
    assert (runs["forwarded_packets"] > 0).all()
    assert (folder / "out/journal.jsonl").stat().st_uid == NOBODY_ID


@pytest.mark.deep
@pytest.mark.parametrize("cell", [
    {"mode": "split", "datapath": "xdp_generic", "program": "xdp_tx"},
    {"mode": "split", "datapath": "chain", "program": "wire", "more": "chain = { length = [2] }"},
    {"mode": "serial", "datapath": "af_xdp", "program": "xsk_memcpy"},
])  # fmt: skip
def test_all_that_are_named_measure_the_rest(folder, cell):
    done = measured(folder, cell, (*CAPABILITIES, *CAPABILITIES_OF_SOME))
    assert done.returncode == 0, done.stderr
    assert (read_runs([folder / "out"])["forwarded_packets"] > 0).all()


@pytest.mark.deep
def test_one_that_is_lacking_is_named(folder):
    done = measured(folder, NATIVE | {"mode": "split"}, CAPABILITIES)
    assert done.returncode == 4, done.stderr
    assert "CAP_DAC_OVERRIDE" in done.stderr
