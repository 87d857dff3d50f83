"""Processes that do not hold a lab's keys are turned away before anything they send is read."""

import shutil

import pytest

from linerate.measure.boxes.keys import CERTIFICATE, KEY, TOKEN, Keys

from .lab import PATIENCE_SECONDS, LocalLab, write_plan

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=["with a certificate", "on loopback without"])
def lab(request, tmp_path_factory):
    lab = LocalLab(tmp_path_factory.mktemp("lab"))
    if request.param != "with a certificate":
        for name in (CERTIFICATE, KEY):
            (lab.folder / "lab.keys" / name).unlink()
    lab.start_scheduler()
    yield lab
    lab.end()


def stranger(lab, folder, *, token_only):
    """Write the lab's file beside keys that are another's, in all or in the token alone."""
    path = shutil.copy(lab.file, folder / "lab.toml")
    other = Keys.read_or_make(folder / "lab.keys").folder
    for name in (CERTIFICATE, KEY):
        own = lab.folder / "lab.keys" / name
        if not own.exists():
            (other / name).unlink()
        elif token_only:
            shutil.copy2(own, other / name)
    assert (other / TOKEN).read_text() != (lab.folder / "lab.keys" / TOKEN).read_text()
    return path


def refused(process):
    output, errors = process.communicate(PATIENCE_SECONDS)
    assert process.returncode == 2, errors
    assert output == ""
    return errors


def test_a_worker_with_another_token_is_turned_away(lab, tmp_path):
    errors = refused(lab.box("alpha", stranger(lab, tmp_path, token_only=True)))
    assert "is of another lab: its token is another lab's" in errors
    assert "copy that folder here" in errors


def test_a_campaign_with_other_keys_is_turned_away_and_leaves_nothing(lab, tmp_path):
    path, out = stranger(lab, tmp_path, token_only=False), tmp_path / "out"
    measuring = lab.measure(write_plan(tmp_path / "plan.toml"), out, lab=path)
    assert "is of another lab" in refused(measuring)
    assert not out.exists()
