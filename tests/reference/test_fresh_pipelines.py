"""Pipelines that do several things at once, said by a fit of their parts and then measured."""

import numpy as np
import pytest

from linerate.models.operations import fit_mixes, mix_runs
from linerate.tables.runs import read_runs


@pytest.fixture(scope="module")
def said(repository):
    """Log ratio of said to measured time of each pipeline, and the log half-width said with it."""
    parts, later = (mix_runs(read_runs([repository / f"data/reference-pipelines-{name}"]))
                    for name in ("3", "mixes"))  # fmt: skip
    costs = fit_mixes(parts)
    works, times_ns = later.medians()
    said_ns, widths = np.array([costs.time_of(work) for work in works]).T
    assert len(set(works) & set(parts.works)) == 1, "none but the plain one was measured before"
    return np.log(said_ns / times_ns), widths


def test_they_are_within_four_percent_in_the_median_and_ten_but_for_few(said):
    off = np.abs(np.expm1(said[0]))
    assert len(off) == 25
    assert np.median(off) <= 0.04
    assert np.quantile(off, 0.9) <= 0.1


def test_nine_of_ten_are_inside_their_intervals(said):
    errors, widths = said
    assert (np.abs(errors) <= widths).mean() >= 0.9
