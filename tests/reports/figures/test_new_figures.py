"""Figures of what is behind a rate: cores, tails, spreads, mixes, and what others published."""

import math

import numpy as np
import pandas as pd
import pytest
from tests.reports import planted, planted_studies

from linerate.models.design import choose_cells
from linerate.models.design.candidates import combinations, costs_of
from linerate.reports import FIGURES, LeftOut, figure_named
from linerate.reports.figures.load.cpu_per_core import shares_of
from linerate.reports.figures.published.values import RATES
from linerate.reports.section import fitted_section
from linerate.reports.tables.components import components


def table_of(name, section):
    table = figure_named(name, FIGURES).table(section)
    assert isinstance(table, pd.DataFrame), table
    return table


def spread_rows(run=0.0, load=0.0, residual=0.0, seed=3):
    """Logs of rates over the law's: 60 cells of 4 loads of 3 runs."""
    rng = np.random.default_rng(seed)
    rows = []
    for cell in range(60):
        off = rng.normal(0.0, residual)
        for each in range(4):
            own = off + rng.normal(0.0, load)
            rows += [(cell, 4 * cell + each, own + rng.normal(0.0, run)) for _ in range(3)]
    return pd.DataFrame(rows, columns=["cell", "load", "residual"])


@pytest.mark.parametrize(
    ("planted_at", "name"),
    [({"run": 0.05}, "run"), ({"load": 0.05}, "load"), ({"residual": 0.05}, "residual")],
)
def test_a_spread_is_found_where_it_was_planted(planted_at, name):
    found = components(spread_rows(**planted_at))
    assert found[name] == pytest.approx(0.05, rel=0.25)
    assert all(value < 0.02 for other, value in found.items() if other != name)


def test_one_run_of_each_load_tells_nothing_of_runs():
    rows = spread_rows(run=0.05).groupby("load").head(1)
    found = components(rows)
    assert math.isnan(found["run"])
    assert found["load"] == pytest.approx(0.05, rel=0.25)


def test_every_held_out_cell_has_a_residual_for_each_factor(section):
    cells = table_of("held-out", section)
    table = table_of("residuals", section)
    assert set(table["statistic"]) == {"memory_accesses", "queues", "frame_bytes"}
    assert len(table) == 3 * len(cells)
    own = table[table["statistic"] == "queues"]
    assert sorted(own["error_percent"]) == pytest.approx(sorted(cells["error_percent"]))


def test_each_core_is_drawn_of_cells_with_several_queues(section):
    runs = section.runs.copy()
    runs["cpu_per_core"] = ["[0.25, 0.75]" if n == 2 else "[0.5]" for n in runs["queues"]]
    table = table_of("cpu-per-core", fitted_section(runs, section.file))
    assert set(table["queues"]) == {2}
    by_core = table.groupby("statistic")["cpu_busy_ratio"].unique()
    assert [list(shares) for shares in by_core] == [[0.25], [0.75]]


@pytest.mark.parametrize("text", ["[", '{"a": 1}', '["a"]', "[null]", "1", "", None, "[1]" * 5000])
def test_what_lists_no_shares_is_no_share(text):
    assert shares_of(text) == []


def test_percentiles_of_the_smallest_and_largest_load_are_shown(section):
    table = table_of("latency-percentiles", section)
    loads = section.runs[section.runs["mode"] == "split"]["offered_mpps"]
    assert {table["offered_mpps"].min(), table["offered_mpps"].max()} == {loads.min(), loads.max()}
    assert dict(zip(table["statistic"], table["longer_ratio"], strict=True)) == {
        "p50": 0.5, "p99": 0.01,
    }  # fmt: skip


def test_a_mix_stands_beside_the_sum_of_its_parts(studies):
    table = table_of("mixes", studies)
    assert (table["measured_ns"] > 0.0).all()
    assert not table["mix"].duplicated().any()
    assert table["runs"].min() >= 1
    assert table["mode"].isin(["serial"]).all()


def test_published_rates_stand_beside_their_own_runs(section):
    table = table_of("published-rates", section)
    published = table[table["series"] == "published"].set_index("datapath")["mpps"]
    assert dict(published) == {"xdp_native": 7.5, "xdp_generic": 1.08}
    ours = table[table["series"] == "measured"].set_index("datapath")["mpps"]
    assert ours["xdp_native"] == pytest.approx(1e3 / planted.BASE_NS["xdp_native"], rel=0.05)


def test_each_published_number_names_who_published_it():
    assert all(one.source and one.value > 0.0 and one.runs["datapath"] for one in RATES)


def test_nothing_published_is_no_figure(section):
    runs = section.runs[section.runs["memory_accesses"] == 100]
    found = figure_named("published-rates", FIGURES).table(fitted_section(runs, section.file))
    assert isinstance(found, LeftOut)


def test_a_function_of_a_chain_is_compared_by_its_slope(studies):
    table = table_of("published-chains", studies)
    ours = table[(table["series"] == "measured") & (table["chain_function"] == "raw_socket")]
    assert dict(zip(ours["chain_topology"], ours["rtt_per_function_us"], strict=True)) == (
        pytest.approx(planted_studies.HOP_US, rel=0.05)
    )
    assert set(table[table["series"] == "published"]["rtt_per_function_us"]) == {200.0, 78.0}


def test_next_cells_are_those_that_a_plan_chooses(section):
    table = table_of("next-cells", section)
    rows = {name: table[table["series"] == name] for name in ("measured", "plan", "all")}
    candidates = combinations(section.training)
    costs, _ = costs_of(candidates, section.training)
    design = choose_cells(costs, candidates, 12, measured=section.training.cells)
    assert rows["plan"]["times"].sum() == 12
    assert rows["plan"]["frame_bytes"].iloc[0] == candidates.frame_bytes[design.rows[0]]
    assert (rows["plan"]["after_percent"] < rows["plan"]["before_percent"]).all()
    known = 100.0 * np.sqrt(np.mean(design.cell_after**2))
    assert rows["all"]["after_percent"].iloc[0] == pytest.approx(known)
    assert rows["measured"]["runs"].sum() == len(section.training)
