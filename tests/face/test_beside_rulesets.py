"""Runs of users' rulesets beside what was predicted of them."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from linerate.cli.lab.beside import print_beside
from linerate.face.fits.beside import beside_predictions
from linerate.face.fits.kept import RulesetAsked, keep_ruleset, kept_of_ruleset
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.filters.own.inputs import read_inputs
from linerate.measure.datapaths.filters.own.load import frames_of
from linerate.models.pipelines import PathCase

from ..measure.arriving import UDP, ipv4, udp

pytestmark = pytest.mark.root

RULES = """table inet fw {
  chain incoming {
    type filter hook input priority 0; policy drop;
    ct state established accept
    udp dport 53 accept
  }
}
"""
CAMPAIGN = """
name = "fw"
lab = "veth"
repetitions = 1
trial_seconds = 0.1
warm_up_seconds = 0.05

[[cells]]
mode = "serial"
datapath = ["nftables"]
program = ["fw.nft"]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = ["line"]

[[cells]]
mode = "serial"
datapath = ["nftables"]
program = ["fw.nft"]
ruleset = { traffic = ["mine.json"] }
queues = [1]
link_gbps = 10.0
offered_mpps = ["line"]
"""
TAKEN = PathCase(name="expected", packet_ns=500.0, width=0.05, load_reach=0.05, in_domain=True,
                 choices=(), operations={}, sends=0.0, parts_ns={}, unwaited_ns=500.0)  # fmt: skip
MADE_NS = 20.0


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "fw.nft").write_text(RULES)
    frames = [{"hex": ipv4(UDP, udp()).hex(), "weight": 1}]
    (tmp_path / "mine.json").write_text(json.dumps(frames))
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    return read_campaign(tmp_path / "campaign.toml")


def inputs_of(plan):
    return [(cell, read_inputs(cell, plan.folder)) for cell in plan.campaign.cells()]


def predict(plan, made_ns):
    for cell, inputs in inputs_of(plan):
        keep_ruleset(inputs.tested, inputs.frames or frames_of(cell.load), TAKEN, made_ns)


def predicted(plan):
    runs = pd.DataFrame([
        {"run_id": f"c{index:04d}-r1", "verdict": "valid", "forwarded_mpps": 1.9,
         "frame_bytes": 64.0, "ended_drop": 90, "ended_pass": 10}
        for index in range(2)
    ])  # fmt: skip
    return beside_predictions(plan, runs)


def test_what_fits_said_stands_beside_and_frames_of_a_file_have_to_be_made(plan, capsys):
    predict(plan, MADE_NS)
    usual, replayed = predicted(plan)
    assert usual.predicted is not None
    assert replayed.predicted is not None
    assert usual.predicted.predicted_mpps == pytest.approx(2.0)
    assert replayed.predicted.predicted_mpps == pytest.approx(1e3 / (500.0 + MADE_NS))
    assert usual.predicted.lower_mpps < 2.0 < usual.predicted.upper_mpps
    print_beside((usual, replayed))
    said = capsys.readouterr().out
    assert "fw.nft on nftables:" in said
    assert "fw.nft with mine.json on nftables:" in said


def test_where_nothing_ran_frames_of_a_file_are_not_predicted(plan):
    predict(plan, None)
    (usual,) = predicted(plan)
    assert usual.given == ""


def test_of_other_rules_hooks_or_flows_nothing_was_predicted(plan):
    predict(plan, MADE_NS)
    cell, inputs = inputs_of(plan)[0]
    asked = RulesetAsked(source=inputs.tested.source, hook="", established=0.0,
                         frames=frames_of(cell.load), replayed=False)  # fmt: skip
    assert kept_of_ruleset(asked) is not None
    assert kept_of_ruleset(replace(asked, hook="input")) is not None, "its last"
    for other in (replace(asked, hook="prerouting"), replace(asked, established=1.0),
                  replace(asked, source=replace(asked.source, text=f"{RULES}\n"))):  # fmt: skip
        assert kept_of_ruleset(other) is None


def test_of_rulesets_that_nobody_asked_about_nothing_is_set_beside(plan):
    assert predicted(plan) == ()
