"""One fitted fixture for all tests of reports."""

import pandas as pd
import pytest

from linerate.reports import fit_section
from linerate.reports.page import pictures, report

from . import planted, planted_studies


@pytest.fixture(scope="session")
def serial_runs():
    return planted.serial_runs()


@pytest.fixture(scope="session")
def both_runs(serial_runs):
    return pd.concat([serial_runs, planted.split_runs()], ignore_index=True)


@pytest.fixture(scope="session")
def section(once, both_runs):
    return once("section", lambda: fit_section(both_runs, "capacity"))


@pytest.fixture(scope="session")
def studies(once):
    """Every study but capacity, whose only rows here are those of AF_XDP."""
    runs, searches = planted_studies.all_runs(), planted_studies.searches()
    return once("studies", lambda: fit_section(runs, "capacity", searches=searches))


@pytest.fixture(scope="session")
def section_of(section, studies):
    """Take the planted section that has what a figure needs."""
    own = ("capacity", "latency-by-accesses")
    return lambda kind: section if own[0] in kind.studies and kind.name != own[1] else studies


@pytest.fixture
def unrendered(monkeypatch):
    """Draw no figure where a page's words and tables are what is tested; each has its table.

    But for errors by split, for which models are fitted again and again.
    """

    def named(self, page, forms):
        return {form: form.encode() for form in forms}

    monkeypatch.setattr(pictures.Pictures, "_drawn", named)
    quick = [kind for kind in report.FIGURES if kind.name != "models-by-split"]
    monkeypatch.setattr(report, "FIGURES", quick)
