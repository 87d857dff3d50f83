"""Who was given the capabilities that the documents name tunes as root does, and nobody blindly."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from linerate.measure.tuning.sight import NEEDED

from ...needs import NOBODY_ID, as_nobody_with

pytestmark = pytest.mark.root
ASKED = {"mtu_bytes": "1400", "tso": "off", "napi_defer_hard_irqs": "2", "rps_cpus": "1"}
"""By netlink and by files that are root's."""
SETTINGS = [word for name, value in ASKED.items() for word in ("--setting", f"{name}={value}")]


@pytest.fixture
def run_folder():
    """Give a folder for the journal that is nobody's, as those of pytest are not."""
    with tempfile.TemporaryDirectory() as place:
        os.chown(place, NOBODY_ID, NOBODY_ID)
        yield Path(place)


def tuned(cable, capabilities, *words):
    """Run ``linerate`` at the cable as nobody with these capabilities alone."""
    return subprocess.run(
        cable.argv(*as_nobody_with(capabilities, *words)),
        cwd="/", capture_output=True, text=True, check=False, timeout=60.0,
    )  # fmt: skip


def test_those_that_are_named_tune_and_reset_without_root(cable, run_folder):
    cable.journal = run_folder
    before = cable.settings()
    done = tuned(cable, NEEDED, "tune", "cable", *SETTINGS)
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == list(ASKED)
    assert cable.settings() != before
    assert (run_folder / "tuning.jsonl").stat().st_uid == NOBODY_ID
    reset = tuned(cable, NEEDED, "reset", "cable")
    assert reset.returncode == 0, reset.stderr
    assert cable.settings() == before


@pytest.mark.parametrize("lacking", ["CAP_NET_ADMIN", "CAP_DAC_OVERRIDE"])
def test_one_that_is_lacking_is_named_and_nothing_is_changed(cable, run_folder, lacking):
    cable.journal = run_folder
    before = cable.settings()
    done = tuned(cable, NEEDED.keys() - {lacking}, "tune", "cable", *SETTINGS)
    assert done.returncode == 4, done.stderr
    assert lacking in done.stderr
    assert cable.settings() == before


def test_whose_sshd_cannot_be_looked_into_changes_nothing(cable, run_folder, tmp_path):
    cable.journal = run_folder
    shutil.copy("/bin/sleep", tmp_path / "sshd")
    others = subprocess.Popen([tmp_path / "sshd", "60"])
    before = cable.settings()
    try:
        done = tuned(cable, NEEDED.keys() - {"CAP_SYS_PTRACE"}, "tune", "cable", *SETTINGS)
    finally:
        others.kill()
        others.wait()
    assert done.returncode == 4, done.stderr
    assert "CAP_SYS_PTRACE" in done.stderr
    assert cable.settings() == before
