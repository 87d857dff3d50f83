"""What is timed to carry costs over: cells whose costs are shipped, each written once."""

import numpy as np
import pandas as pd
import pytest

from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.generators.external import tools
from linerate.measure.objects.calibrating import works
from linerate.measure.objects.calibrating.own_works import LABS
from linerate.measure.objects.calibrating.works import CAMPAIGNS, packet_ns
from linerate.programs.costs import CHAIN

PRICED = {"nftables": "rulesets", "iptables": "rulesets", "swx": "pipelines",
          **dict.fromkeys(("chain-tc", "chain-raw-socket", "chain-af-xdp"), "chains")}  # fmt: skip
"""Of each datapath the campaign that its costs were fitted on."""


def cells_of(name):
    return read_campaign(CAMPAIGNS / f"{name}.toml").campaign.cells()


@pytest.mark.parametrize("datapath", LABS)
def test_what_is_timed_is_a_part_of_what_was_priced(datapath):
    timed, priced = cells_of(f"probe-{datapath}"), set(cells_of(PRICED[datapath]))
    assert timed
    assert [cell for cell in timed if cell not in priced] == []
    assert len(set(timed)) == len(timed)


@pytest.mark.parametrize("datapath", LABS)
def test_each_is_loaded_several_times_and_all_takes_half_a_minute(datapath):
    campaign = read_campaign(CAMPAIGNS / f"probe-{datapath}.toml").campaign
    assert campaign.repetitions >= 3
    loads = campaign.repetitions * len(campaign.cells())
    assert loads * (campaign.trial_seconds + 0.35) < 30.0


@pytest.mark.root
def test_what_needs_a_tool_that_is_missing_is_not_timed(monkeypatch):
    real = tools.tool_path
    monkeypatch.setattr(tools, "tool_path", lambda name: None if name == "ipset" else real(name))
    plan = read_campaign(CAMPAIGNS / "probe-iptables.toml")
    kept = works._runnable(plan.campaign, plan.folder)
    whole, here = ({cell.program for cell in each.cells()} for each in (plan.campaign, kept))
    left = whole - here
    assert left
    assert all("ipset" in program for program in left)


def test_a_time_is_with_the_core_to_itself_where_that_is_known_and_else_less_what_others_held():
    runs = pd.DataFrame({
        "forwarded_mpps": [4.0, 4.0, 4.0], "unshared_mpps": [5.0, np.nan, 4.0],
        "contended_ratio": [0.3, 0.25, 0.0],
    })  # fmt: skip
    assert packet_ns(runs).round(6).tolist() == [200.0, 187.5, 250.0]


@pytest.mark.parametrize("datapath", [name for name in LABS if not name.startswith(CHAIN)])
def test_others_on_the_cores_are_looked_for_and_disturbed_loads_repeated(datapath):
    campaign = read_campaign(CAMPAIGNS / f"probe-{datapath}.toml").campaign
    assert "sharing" in campaign.probes
    assert campaign.retries >= 1
