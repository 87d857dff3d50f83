"""Pipelines: costs, mixes and figures show the planted truth, and nothing else."""

import pandas as pd
import pytest
from tests.reports import planted_studies
from tests.reports.figures.test_figures import drawn_points, points_of, reread

from linerate.reports import FIGURES, STUDY_KINDS, Words, Writer, fit_section
from linerate.reports.figures.operations.costs import cost_table, mixes_table
from linerate.reports.page.rate_page import FILE, rate_page
from linerate.reports.page.tables import tables_of
from linerate.reports.studies.pipelines import rates_table

KINDS = {kind.name: kind for kind in FIGURES}
NAMES = ("pipeline-operations", "pipeline-sizes", "pipeline-bursts", "pipeline-lcores")


@pytest.fixture(scope="module")
def pipelines():
    return fit_section(planted_studies.pipeline_runs(), "capacity")


def table_of(made):
    assert isinstance(made, pd.DataFrame), made
    return made


def drawn(name, section):
    return table_of(KINDS[name].table(section))


def test_pipelines_are_no_runs_of_capacity(pipelines):
    assert pipelines.studies == ("operations", "pipelines")
    assert pipelines.training is None


def test_costs_are_the_planted_ones_and_lie_in_their_intervals(pipelines):
    table = table_of(cost_table(pipelines))
    own = table[(table["frame_bytes"] == 64) & (table["queues"] == 1)]
    costs = {row["kind"]: row for row in own.to_dict("records")}
    for kind, ns in planted_studies.PIPELINE_NS.items():
        row = costs[kind]
        assert row["each_ns"] == pytest.approx(ns, rel=0.05)
        assert row["lower_ns"] <= row["added_ns"] <= row["upper_ns"]
        assert row["times"] == 50


def test_a_kind_without_its_base_at_the_same_frame_size_has_no_measured_cost(pipelines):
    table = table_of(cost_table(pipelines))
    assert set(table.loc[table["measured_ns"].notna(), "frame_bytes"]) == {64.0}
    assert (table["added_ns"] > 0.0).all()


def test_a_read_that_waits_for_a_write_is_named_and_the_rest_adds_up(pipelines):
    table = table_of(mixes_table(pipelines))
    mixes = {row["mix"]: row for row in table.to_dict("records")}
    waiting = mixes["50 register_read_32 + 50 register_write_32"]
    assert not waiting["additive"]
    assert waiting["interaction_ns"] == pytest.approx(planted_studies.WAIT_NS, rel=0.2)
    assert abs(waiting["residual_percent"]) < 5.0
    apart = mixes["10 register_read_32 + 5 table_exact"]
    assert apart["additive"]


def test_costs_of_bpf_operations_come_from_the_same_tables(studies):
    table = table_of(cost_table(studies))
    bpf = table[(table["datapath"] == "xdp_native") & (table["kind"] == "checksum")]
    assert bpf["each_ns"].iloc[-1] == pytest.approx(
        planted_studies.OPERATION_NS["checksum"], rel=0.05
    )


def test_rate_times_time_of_a_packet_is_the_lcores(pipelines):
    rates = table_of(rates_table(pipelines))
    assert (rates["mpps"] * rates["packet_ns"]).to_numpy() == pytest.approx(
        1e3 * rates["queues"].to_numpy(), rel=0.01
    )
    small = rates[rates["frame_bytes"] == 64.0]
    assert small["gbps"].to_numpy() == pytest.approx(0.512 * small["mpps"].to_numpy())


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("pipeline-operations", "times", "packet_ns"),
        ("pipeline-sizes", "frame_bytes", "mpps"),
        ("pipeline-bursts", "pipeline_burst_packets", "value"),
        ("pipeline-lcores", "queues", "mpps"),
    ],
)
def test_csv_of_a_pipeline_figure_holds_exactly_what_is_drawn(name, x, y, pipelines, tmp_path):
    table = drawn(name, pipelines)
    assert drawn_points(KINDS[name].draw(table, Words()).whole) == points_of(
        reread(table, tmp_path), x, y
    )


def test_every_kind_begins_at_the_packet_without_it(pipelines):
    table = drawn("pipeline-operations", pipelines)
    none = table[(table["times"] == 0) & (table["series"] == "measured")]
    assert set(none["kind"]) == set(table["kind"])
    assert none["packet_ns"].nunique() == 1


def test_the_line_of_a_kind_passes_through_its_marks(pipelines):
    table = drawn("pipeline-operations", pipelines)
    last = table[table["kind"] == "table_exact"].groupby("series").last()
    assert last["times"].nunique() == 1
    assert last.loc["model", "packet_ns"] == pytest.approx(last.loc["measured", "packet_ns"], 0.1)


def test_equal_counts_of_a_mix_grow_together(pipelines):
    table = drawn("pipeline-operations", pipelines)
    together = table[table["kind"] == "register_read_32 + register_write_32"]
    together = together[together["series"] == "measured"]
    assert sorted(together["times"]) == [0.0, 10.0, 50.0]
    assert "mixed" not in set(table["kind"])


def test_bursts_have_latency_where_it_was_taken(pipelines):
    table = drawn("pipeline-bursts", pipelines)
    median = table[table["statistic"] == "p50"]
    assert dict(zip(median["pipeline_burst_packets"], median["value"], strict=True)) == {
        1.0: 2.0, 32.0: 33.0,
    }  # fmt: skip


def test_a_table_without_pipelines_draws_none():
    section = fit_section(planted_studies.filter_runs(), "capacity")
    assert "pipelines" not in section.studies
    assert {KINDS[name].studies for name in NAMES} == {("pipelines",)}


@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("name", ["operation-costs", "mixes", "pipelines"])
def test_summaries_of_pipelines_name_every_row(name, pipelines):
    (kind,) = [kind for study in STUDY_KINDS for kind in study.summaries if kind.name == name]
    table = table_of(kind.table(pipelines))
    grid = kind.grid(table, Words(lang="pt"))
    assert len(grid.rows) == len(table)
    assert len(set(grid.rows)) == len(grid.rows)


@pytest.mark.usefixtures("unrendered")
def test_the_page_of_rates_has_every_table_and_the_report_writes_it(pipelines, tmp_path):
    page = rate_page(pipelines, list(tables_of(pipelines, Words(), "")), Words())
    Writer(folder=tmp_path, words=Words(), command="c").write([pipelines])
    assert (tmp_path / FILE).read_text() == page
    rows = len(table_of(rates_table(pipelines)))
    rates = page.split("\n## ")[1]
    assert rates.startswith("Rates of pipelines")
    assert sum(line.startswith("| ") for line in rates.splitlines()) == rows + 1
    assert "## What an operation costs, over all counts" in page
    assert "| 50 read_32 + 50 write_32 |" in page


@pytest.mark.usefixtures("unrendered")
def test_a_report_without_pipelines_has_no_page_of_rates(tmp_path):
    section = fit_section(planted_studies.operation_runs(sets=(0,)), "capacity")
    Writer(folder=tmp_path, words=Words(), command="c").write([section])
    assert not (tmp_path / FILE).exists()
