"""What every test may need: the machine's abilities, and where shared data lie."""

import math
from functools import cache
from pathlib import Path

import pytest

from linerate.cells import Cell, Load
from linerate.measure.system import lab_obstacles

ROOT = Path(__file__).resolve().parents[1]
CAPELETTI_RUNS = ROOT.parent / "shared/data/capeletti/runs.csv"


@cache
def _why_no_lab():
    return ", ".join(f"{found.name} ({found.detail})" for found in lab_obstacles("veth"))


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("root") and _why_no_lab():
            item.add_marker(pytest.mark.skip(reason=f"the veth lab needs: {_why_no_lab()}"))


@pytest.fixture(scope="session")
def cell_of():
    """Build a cell of the veth lab: a flood of 64-byte frames in serial mode, or as told."""

    def build(load=None, **changes):
        load = Load(
            **{"frame_mix": ((1, 64),), "arrivals": "flood", "offered_mpps": math.inf}
            | (load or {})
        )
        factors = {
            "lab": "veth", "mode": "serial", "datapath": "xdp_native", "program": "map_lookup",
            "memory_accesses": 0, "queues": 1, "link_gbps": math.inf,
        }  # fmt: skip
        return Cell(**(factors | changes), load=load)

    return build


@pytest.fixture(scope="session")
def repository():
    return ROOT
