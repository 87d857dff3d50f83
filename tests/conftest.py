"""What every test may need: the machine's abilities, and where shared data lie."""

from functools import cache
from pathlib import Path

import pytest

from linerate.measure.system import veth_lab_obstacles

ROOT = Path(__file__).resolve().parents[1]
CAPELETTI_RUNS = ROOT.parent / "shared/data/capeletti/runs.csv"


@cache
def _why_no_lab():
    return ", ".join(f"{found.name} ({found.detail})" for found in veth_lab_obstacles())


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("root") and _why_no_lab():
            item.add_marker(pytest.mark.skip(reason=f"the veth lab needs: {_why_no_lab()}"))


@pytest.fixture(scope="session")
def repository():
    return ROOT
