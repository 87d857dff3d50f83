"""How far off shipped costs of rules are on a machine whose runs are kept: bare, and carried.

``python benchmarks/own/there.py data/reference-rulesets data/reference-rulesets-2``

The rulesets that `linerate calibrate --for nftables --for iptables` times are among those runs.
What they took in the last of the folders, the first three loads each, is what the costs are carried
by, disturbed ones only if all are; the rulesets that people write, of all folders, are predicted.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import rulesets
from judged import print_errors

from linerate.box import Box
from linerate.face.fits.carrying import carry
from linerate.face.fits.rulesets import SHIPPED
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.filters.own.settings import settings_of
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.calibrating.works import packet_ns
from linerate.measure.system.describe import this_box
from linerate.models.file.saved import load_model
from linerate.programs.costs import work_name
from linerate.tables.runs import read_runs

ROOT = Path(__file__).resolve().parents[2]
DATAPATHS = ("nftables", "iptables")
LOADS = 3


def timed(runs: pd.DataFrame, datapath: str) -> Box:
    """Give a box with the times that a calibration would have taken in a campaign."""
    plan = read_campaign(ROOT / f"data/campaigns/probe-{datapath}.toml").campaign
    costs = {}
    for cell in plan.cells():
        is_it = (runs["datapath"] == datapath) & (runs["program"] == cell.program)
        asked = settings_of(cell)
        for name, level in (("ruleset_established", asked.established),
                            ("ruleset_traffic", asked.traffic)):  # fmt: skip
            if name in runs.columns:
                is_it &= runs[name].fillna("" if name == "ruleset_traffic" else False).eq(level)
        own = runs[is_it & (runs["frame_bytes"] == cell.load.frame_bytes)]
        sound = own[own["verdict"] == "valid"]
        own = (own if sound.empty else sound).head(LOADS)
        if own.empty:
            continue
        counted = tuple(sorted(json.loads(own["operations"].iloc[0]).items()))
        costs[work_name(datapath, counted)] = cost_over_loads(
            packet_ns(own).to_numpy(dtype="float64")
        )
    return replace(this_box("veth"), costs=costs)


def main() -> None:
    """Predict by shipped costs before and after they are carried, and print errors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    runs, last = read_runs(asked.folders), read_runs(asked.folders[-1:])
    shipped = load_model(SHIPPED).mixes
    assert shipped is not None
    for datapath in DATAPATHS:
        carried = carry(shipped, datapath, timed(last, datapath))
        own = runs[runs["datapath"] == datapath]
        for costs, mixes in (("shipped", shipped), ("carried", carried)):
            found = rulesets.compare(own, mixes).assign(costs=f"{datapath} {costs}")
            found = found[found["valid"] > 0]
            print_errors(found, "rulesets", found["costs"])


if __name__ == "__main__":
    main()
