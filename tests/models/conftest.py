"""Tables of runs: a planted one, and the real one where it is at hand."""

from pathlib import Path

import pytest

from linerate.tables.runs import read_runs

from .planted import lab_table


@pytest.fixture(scope="session")
def lab_runs():
    return lab_table()


@pytest.fixture(scope="session")
def real_runs():
    path = Path(__file__).resolve().parents[3] / "shared" / "data" / "capeletti" / "runs.csv"
    if not path.is_file():
        pytest.skip("needs the runs of study S1 at ../shared/data/capeletti/runs.csv")
    return read_runs([path])
