"""``linerate.measure`` on real packets: a campaign file, or the campaign itself."""

from dataclasses import replace

import pytest

import linerate as lr
from linerate.errors import BadInputError
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.whole import plan_of

FIELDS = {
    "name": "face", "lab": "veth", "repetitions": 1, "retries": 0, "trial_seconds": 0.05,
    "warm_up_seconds": 0.01,
    "cells": [{
        "mode": "serial", "datapath": ["xdp_native"], "program": ["map_lookup"],
        "memory_accesses": [0, 100], "queues": [1], "frame_bytes": [64], "link_gbps": 10.0,
        "offered_mpps": ["line"],
    }],
}  # fmt: skip


@pytest.fixture
def campaign():
    return campaign_from(FIELDS, "face")


def test_a_campaign_without_a_file_is_kept_as_text_that_reads_back(campaign):
    plan = plan_of(campaign)
    assert plan.campaign == campaign
    assert plan.within_cores().campaign.cells() == campaign.cells()
    assert plan_of(plan) is plan
    assert plan_of(replace(plan, text="")).text == ""


@pytest.mark.root
def test_a_campaign_is_measured_into_runs_and_goes_on(campaign, tmp_path):
    runs = lr.measure(campaign, out=tmp_path / "out", progress=False)
    assert sorted(runs.table["memory_accesses"]) == [0, 100]
    assert len(lr.read(tmp_path / "out")) == 2
    again = lr.measure(tmp_path / "out/campaign.toml", out=tmp_path / "out", resume=True)
    assert again.table["run_id"].tolist() == runs.table["run_id"].tolist()
    with pytest.raises(BadInputError, match="it holds a campaign already"):
        lr.measure(campaign, out=tmp_path / "out")
