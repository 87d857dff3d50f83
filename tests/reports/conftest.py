"""One fitted fixture for all tests of reports."""

import pandas as pd
import pytest

from linerate.reports import fit_section

from . import planted


@pytest.fixture(scope="session")
def serial_runs():
    return planted.serial_runs()


@pytest.fixture(scope="session")
def both_runs(serial_runs):
    return pd.concat([serial_runs, planted.split_runs()], ignore_index=True)


@pytest.fixture(scope="session")
def section(both_runs):
    return fit_section(both_runs, "capacity")
