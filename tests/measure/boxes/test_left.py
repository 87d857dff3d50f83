"""What a box keeps of campaigns that never came back: named when its worker starts, or dropped."""

import os
import time

import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.measure.boxes.left import DAY_S, left_behind

from .lab import LocalLab


def keep(spool, campaign_id, days, lines=2):
    """Leave what a worker leaves of a campaign, so many days ago."""
    folder = spool / campaign_id
    folder.mkdir(parents=True)
    (folder / "campaign.toml").write_text('name = "night"\n')
    (folder / "journal.jsonl").write_text("{}\n" * lines)
    then_s = time.time() - days * DAY_S
    os.utime(folder / "journal.jsonl", (then_s, then_s))
    return folder


@pytest.fixture
def spool(tmp_path):
    spool = tmp_path / "spool"
    (spool / "scratch").mkdir(parents=True)
    return spool


@pytest.fixture
def started(tmp_path, spool):
    """What a worker says at its start; its keys are missing, so that it ends there."""
    lab = LocalLab(tmp_path)

    def start(setting=""):
        (tmp_path / "lab.keys/token").unlink(missing_ok=True)
        lab.file.write_text(f"{setting}\n{lab.file.read_text()}")
        asked = ["worker", "alpha", "--lab", str(lab.file), "--scheduler", lab.address]
        return CliRunner().invoke(app_for(asked), [*asked, "--spool", str(spool)]).stderr

    return start


def test_only_what_is_old_is_left_behind_the_oldest_first(spool):
    keep(spool, "new", days=1)
    old, older = keep(spool, "old", days=10), keep(spool, "older", days=90, lines=5)
    found = left_behind(spool, 7, time.time())
    assert [(left.folder, left.lines, left.campaign) for left in found] == [
        (older, 5, "night"), (old, 2, "night")
    ]  # fmt: skip
    assert left_behind(spool / "nowhere", 7, time.time()) == []


def test_a_worker_names_what_no_campaign_came_back_for_and_keeps_it(spool, started):
    old, new = keep(spool, "old", days=10), keep(spool, "new", days=1)
    output = " ".join(started().split())
    assert "No campaign came back for campaign night: 2 trials and searches" in output
    assert output.count("No campaign came back") == 1
    assert old.is_dir()
    assert new.is_dir()


def test_it_is_dropped_only_where_that_is_asked_for(spool, started):
    old, older = keep(spool, "old", days=10), keep(spool, "older", days=90)
    output = " ".join(started("drop_after_days = 60").split())
    assert output.count("Dropped campaign night") == 1
    assert old.is_dir()
    assert not older.exists()
