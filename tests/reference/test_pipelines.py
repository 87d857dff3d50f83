"""What the reference runs of pipelines must show on any machine, and the page made of them."""

import json

import numpy as np
import pandas as pd
import pytest

from linerate.models.operations.costs import ADDITIVE_RATIO
from linerate.reports import Words
from linerate.reports.figures.operations.costs import cost_table, mixes_table
from linerate.reports.page.rate_page import rate_page
from linerate.reports.page.tables import tables_of
from linerate.tables.runs import read_runs

BASE = {
    "program": "forward", "mode": "serial", "queues": 1, "frame_bytes": 64, "flows": 1,
    "pipeline_port": "net_null", "pipeline_burst_packets": 32, "hugepages": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(reference):
    return reference("izolan")


@pytest.fixture(scope="module")
def base(folder):
    runs = read_runs([folder])
    for name, value in BASE.items():
        runs = runs[runs[name].eq(value).fillna(False)]
    return runs[runs["verdict"] != "invalid"]


def packet_ns(runs, **operations):
    """Median time of a packet with exactly these operations; there must be some."""
    asked = [json.loads(text) for text in runs["operations"]]
    own = runs[[one == operations for one in asked]]
    assert len(own), operations
    return 1e3 / own["forwarded_mpps"].median()


def counts_of(runs, kind):
    """Counts at which a kind was measured alone, ascending, and the time of a packet at each."""
    asked = [json.loads(text) for text in runs["operations"]]
    counts = sorted({one[kind] for one in asked if list(one) == [kind]})
    return counts, [packet_ns(runs, **{kind: count}) for count in counts]


def table_of(made):
    assert isinstance(made, pd.DataFrame), made
    return made


@pytest.fixture(scope="module")
def section(pipelines_section):
    assert set(pipelines_section.runs["datapath"]) == {"swx"}
    return pipelines_section


def test_more_of_an_operation_never_takes_less_time(section):
    costs = table_of(cost_table(section))
    for _, kind in costs.groupby(["kind", "working_set_bytes"], dropna=False):
        assert kind.sort_values("times")["added_ns"].is_monotonic_increasing
    assert (costs[["added_ns", "lower_ns"]] >= 0.0).all(axis=None)


def test_the_fit_follows_costs_that_bend(section):
    """A straight line with a fixed cost gives the 200 writes 204 ns."""
    costs = table_of(cost_table(section)).set_index(["kind", "times"])
    writes = costs.loc[[("register_write_32", 200)]].iloc[0]
    assert writes["measured_ns"] == pytest.approx(347.0, rel=0.01)
    assert writes["lower_ns"] <= writes["measured_ns"] <= writes["upper_ns"]
    inside = costs["measured_ns"].between(costs["lower_ns"], costs["upper_ns"])
    assert inside.mean() >= 0.85


@pytest.mark.parametrize("count", [10, 50, 200])
def test_a_write_is_cheaper_than_a_read(base, count):
    assert packet_ns(base, register_write_32=count) < packet_ns(base, register_read_32=count)


def test_reading_and_writing_costs_more_than_either(base):
    both = packet_ns(base, register_read_32=50, register_write_32=50)
    assert both > packet_ns(base, register_read_32=50)
    assert both > packet_ns(base, register_write_32=50)


def test_recirculation_is_linear(base):
    counts, times_ns = counts_of(base, "recirculate")
    assert len(counts) >= 4
    assert times_ns == sorted(times_ns)
    assert np.corrcoef(counts, times_ns)[0, 1] ** 2 > 0.99


def test_each_table_in_sequence_costs(base):
    counts, times_ns = counts_of(base, "table_exact")
    assert times_ns == sorted(times_ns)
    assert times_ns[-1] > 2.0 * packet_ns(base)
    assert len(counts) >= 3


def test_a_mix_costs_the_sum_of_its_parts_or_its_interaction_is_named(section):
    """Where only one mix of its kinds is there, an interaction is named but not confirmed."""
    mixes = table_of(mixes_table(section))
    assert len(mixes) >= 4
    for _, mix in mixes.iterrows():
        if mix["additive"]:
            assert abs(mix["parts_percent"]) <= 100.0 * ADDITIVE_RATIO
            continue
        # What overlaps, and what the kinds have beside that, explain the rest.
        assert abs(mix["residual_percent"]) <= 100.0 * ADDITIVE_RATIO, mix["mix"]
        ends = mix["lower_interaction_ns"], mix["upper_interaction_ns"]
        assert mix["hidden_ns"] > 0.0 or ends[0] * ends[1] > 0.0, mix["mix"]


def test_page_of_rates_is_what_the_reference_runs_give(section, repository):
    page = repository / "docs/swx-rates.md"
    assert page.read_text() == rate_page(section, list(tables_of(section, Words(), "")), Words())
