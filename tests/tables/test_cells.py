"""What a cell is, and how many accesses its packets make, are each said once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.models.planted import lab_table

from linerate.line_rate import exceeds, holds, sustains
from linerate.measure.trials.lint import loads_apart
from linerate.models.runs.selection import believable
from linerate.models.runs.training import training_of
from linerate.tables.cell_columns import accesses_once, cell_codes


def with_flows(flows, verdicts):
    runs = lab_table().head(1)
    return pd.concat([runs] * len(flows), ignore_index=True).assign(
        flows=flows, verdict=verdicts, repetition=range(len(flows))
    )


def test_a_suspect_run_stays_where_only_another_cell_has_valid_ones():
    runs = with_flows([1, 64], ["valid", "suspect"])
    assert cell_codes(runs).nunique() == 2
    assert len(believable(runs)[0]) == 2
    assert len(training_of(runs)) == 2
    assert np.unique(training_of(runs).cell).size == 2
    assert len(believable(with_flows([64, 64], ["valid", "suspect"]))[0]) == 1


@pytest.mark.parametrize("column", ["arrivals", "flows", "burst_packets", "frame_mix"])
def test_runs_of_two_loads_are_two_cells_for_every_reader(column):
    values = ["constant", "poisson"] if column == "arrivals" else ["1x64", "1x65"]
    runs = with_flows([1, 1], ["valid"] * 2).assign(
        **{column: values if column in ("arrivals", "frame_mix") else [1, 2]}
    )
    runs["forwarded_mpps"] = [1.0, 0.5]
    assert cell_codes(runs).nunique() == 2
    assert loads_apart(runs) == {}


def test_older_tables_that_name_accesses_twice_are_of_the_same_cells():
    runs = pd.concat([lab_table().head(1)] * 2, ignore_index=True)
    runs = runs.assign(program="map_lookup", operations=['{"map_lookup": 10}', "{}"])
    assert cell_codes(runs).nunique() == 2
    assert cell_codes(accesses_once(runs)).nunique() == 1


def test_clocks_may_lift_a_rate_above_line_rate_by_little():
    assert sustains(14.74, 14.88)
    assert not sustains(14.7, 14.88)
    assert not exceeds(14.89, 14.88)
    assert holds(14.5, 14.88, 14.89, 14.88)
