"""Mixes measured after they were foretold, from runs of another campaign on the same machine."""

import numpy as np
import pytest

from linerate.tables.runs import read_runs


@pytest.fixture(scope="module")
def foretold(reference, pipelines_section):
    """Medians of the later campaign's cells, by operations, with what the earlier one foretells."""
    runs = read_runs([reference("izolan-mixes")])
    said = pipelines_section.file.mixes.predict(runs)
    runs = runs.assign(
        said=said.predicted_mpps, low=said.lower_mpps, high=said.upper_mpps,
        kinds=runs["operations"].fillna("{}").str.count(":"),
        operations=runs["operations"].fillna("{}"),
    )  # fmt: skip
    columns = ["forwarded_mpps", "said", "low", "high", "kinds"]
    cells = runs.groupby("operations")[columns].median()
    return cells.assign(error=np.abs(cells["said"] / cells["forwarded_mpps"] - 1.0))


def test_mixes_foretold_before_they_were_measured_are_within_fifteen_percent(foretold):
    mixes = foretold[foretold["kinds"] > 1]
    assert len(mixes) == 13
    assert mixes["error"].median() < 0.05
    assert (mixes["error"] < 0.15).mean() > 0.9
    inside = (mixes["low"] <= mixes["forwarded_mpps"]) & (mixes["forwarded_mpps"] <= mixes["high"])
    assert inside.mean() >= 0.9


def test_single_kinds_measured_again_another_hour_are_within_fifteen_percent(foretold):
    assert (foretold[foretold["kinds"] <= 1]["error"] < 0.15).all()
