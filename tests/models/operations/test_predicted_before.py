"""Mixes measured after they were predicted, from runs of another campaign on the same machine."""

import numpy as np
import pytest

from linerate.tables.runs import read_runs


@pytest.fixture(scope="module")
def predicted(reference, pipelines_section):
    """Medians of the later campaign's cells, by operations, with what the earlier one predicts."""
    runs = read_runs([reference("izolan-mixes")])
    answer = pipelines_section.file.mixes.predict(runs)
    runs = runs.assign(
        predicted=answer.predicted_mpps, low=answer.lower_mpps, high=answer.upper_mpps,
        kinds=runs["operations"].fillna("{}").str.count(":"),
        operations=runs["operations"].fillna("{}"),
    )  # fmt: skip
    columns = ["forwarded_mpps", "predicted", "low", "high", "kinds"]
    cells = runs.groupby("operations")[columns].median()
    return cells.assign(error=np.abs(cells["predicted"] / cells["forwarded_mpps"] - 1.0))


def test_mixes_predicted_before_they_were_measured_are_within_fifteen_percent(predicted):
    mixes = predicted[predicted["kinds"] > 1]
    assert len(mixes) == 13
    assert mixes["error"].median() < 0.05
    assert (mixes["error"] < 0.15).mean() > 0.9
    inside = (mixes["low"] <= mixes["forwarded_mpps"]) & (mixes["forwarded_mpps"] <= mixes["high"])
    assert inside.mean() >= 0.9


def test_single_kinds_measured_again_another_hour_are_within_fifteen_percent(predicted):
    assert (predicted[predicted["kinds"] <= 1]["error"] < 0.15).all()
