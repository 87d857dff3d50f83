"""The studies beside capacity: nothing pooled that differs, the planted truth, no empty figure."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.reports import planted_studies
from tests.reports.figures.test_figures import drawn_points, points_of, reread

from linerate.reports import (
    FIGURES,
    STUDY_KINDS,
    LeftOut,
    Words,
    Writer,
    fit_section,
    words_in,
)
from linerate.reports.figures.chains.rtt import slopes_of
from linerate.reports.figures.operations.added_times import added_times
from linerate.reports.language.factors import HOOK, varying
from linerate.reports.section.rows import rows_of

KINDS = {kind.name: kind for kind in FIGURES}
SUMMARIES = [kind for study in STUDY_KINDS for kind in study.summaries]
TABLES = {
    "filters": planted_studies.filter_runs,
    "chains": planted_studies.chain_runs,
    "sockets": planted_studies.socket_runs,
    "operations": planted_studies.operation_runs,
    "own": planted_studies.own_runs,
}


def drawn(name, section):
    table = KINDS[name].table(section)
    assert isinstance(table, pd.DataFrame), table
    return table


def costs_of(runs):
    table = added_times(fit_section(runs, "capacity"))
    assert isinstance(table, pd.DataFrame), table
    return table


def written(section, folder, lang="en"):
    report = Writer(folder=folder, words=words_in(lang), command="c").write([section])
    return report.sections[0], report.path.read_text()


@pytest.mark.sampled
@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("study", ["filters", "chains", "operations", "own"])
def test_a_table_of_one_study_makes_no_figure_of_capacity(study, tmp_path):
    section = fit_section(TABLES[study](), "capacity")
    report, html = written(section, tmp_path)
    assert report.figures
    assert all(study in KINDS[name].studies for name in report.figures)
    assert report.left_out == ()
    assert all(note.startswith("of operations: ") for note in section.notes)
    assert "line rate?" not in html
    assert "No verdict" not in html


@pytest.mark.usefixtures("unrendered")
def test_a_table_of_capacity_speaks_of_no_other_study(serial_runs, tmp_path):
    one = serial_runs[(serial_runs["queues"] == 1) & (serial_runs["frame_bytes"] == 64)]
    report, html = written(fit_section(one, "capacity"), tmp_path)
    told = {*report.figures, *(omitted.title for omitted in report.left_out)}
    others = [kind for kind in FIGURES if "capacity" not in kind.studies]
    assert not told & {name for kind in others for name in (kind.name, kind.title)}
    assert not any(kind.title in html for kind in SUMMARIES)


def test_own_programs_are_drawn_by_where_packets_end(studies):
    table = drawn("own-programs", studies).set_index(["datapath", "statistic"])["mpps"]
    assert table.to_dict() == pytest.approx({
        ("xdp_native", "drop"): 1.0, ("xdp_native", "tx"): 3.0,
        ("xdp_generic", "drop"): 0.5, ("xdp_generic", "tx"): 1.5,
        ("tc", "drop"): 0.25, ("tc", "tx"): 0.75,
    })  # fmt: skip


@pytest.mark.deep
def test_filters_change_nothing_about_capacity(serial_runs):
    mixed = pd.concat([serial_runs, planted_studies.filter_runs()], ignore_index=True)
    alone, both = (fit_section(runs, "capacity") for runs in (serial_runs, mixed))
    assert both.predictor is not None
    assert alone.predictor is not None
    assert str(both.predictor.model) == str(alone.predictor.model)
    for name in ("throughput-by-accesses", "cpu-by-accesses", "line-rate-map"):
        pd.testing.assert_frame_equal(drawn(name, both), drawn(name, alone), check_dtype=False)


def test_rows_belong_to_one_study_but_those_of_af_xdp_and_of_pipelines():
    runs = planted_studies.all_runs()
    pipelines = rows_of(runs, "pipelines")
    assert set(pipelines["datapath"]) == {"swx"}
    assert set(pipelines.index) <= set(rows_of(runs, "operations").index)
    runs = runs.drop(pipelines.index)
    counts = pd.Series(0, index=runs.index)
    for study in ("capacity", "own", "operations", "filters", "chains", "searches"):
        counts[rows_of(runs, study).index] += 1
    assert set(counts) == {1}
    assert set(rows_of(runs, "sockets")["datapath"]) == {"af_xdp"}


def test_filters_are_ordered_by_what_they_drop(studies):
    table = drawn("filters-rate", studies)
    hooks = list(table[list(HOOK)].drop_duplicates().itertuples(index=False, name=None))
    truth = planted_studies.HOOKS
    assert [hook[0] for hook in hooks[:3]] == ["xdp_native", "xdp_generic", "tc"]
    assert {hooks[-1], hooks[-2]} == {hook for hook in truth if hook[0] == "iptables"}


def test_a_slower_generator_moves_no_filter_down():
    runs = planted_studies.filter_runs()
    few = runs[(runs["generator"] == "live_frames") | (runs["datapath"] == "xdp_generic")]
    table = drawn("filters-rate", fit_section(few, "capacity"))
    assert list(table["datapath"].unique()[:3]) == ["xdp_native", "xdp_generic", "tc"]


def test_generators_are_not_pooled(studies):
    table = drawn("filters-rate", studies)
    best = table[(table["datapath"] == "xdp_native") & (table["program"] == "drop_all")]
    rates = dict(zip(best["generator"], best["mpps"], strict=True))
    assert rates["live_frames"] == pytest.approx(9.0, rel=0.06)
    assert rates["hping3"] == pytest.approx(0.9, rel=0.06)
    assert set(best["runs"]) == {3}


def test_lost_pings_have_a_share_and_no_time(studies):
    table = drawn("filters-ping", studies)
    none = table[table["program"] == "drop_all"]
    assert (none["ping_loss_percent"] == 100.0).all()
    assert none["rtt_us"].isna().all()


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("filters-rate", "mpps", None),
        ("chain-rtt", "chain_length", "rtt_us"),
        ("operations-by-kind", "ns", None),
        ("operations-by-working-set", "working_set_bytes", "ns"),
        ("load-latency", "load_percent", "latency_us"),
        ("frame-loss", "load_percent", "loss_percent"),
        ("latency-by-accesses", "memory_accesses", "latency_us"),
    ],
)  # fmt: skip
def test_csv_of_a_study_holds_exactly_what_is_drawn(name, x, y, studies, tmp_path):
    table = drawn(name, studies)
    shown = drawn_points(KINDS[name].draw(table, Words()).whole)
    again = reread(table, tmp_path)
    if y is None:  # rows have names, not numbers
        assert {point[0] for point in shown} == set(again[x].round(9))
    else:
        assert shown == points_of(again, x, y)


def test_every_rate_and_loss_of_a_chain_is_drawn(studies, tmp_path):
    table = drawn("chain-rate", studies)
    shown = drawn_points(KINDS["chain-rate"].draw(table, Words()).whole)
    again = reread(table, tmp_path)
    both = points_of(again, "chain_length", "mpps") | points_of(
        again, "chain_length", "loss_percent"
    )
    assert shown == both


def test_slope_of_a_chain_is_the_planted_one(studies):
    table = drawn("chain-rtt", studies)
    lines = table[(table["series"] == "line") & (table["chain_function"] == "raw_socket")]
    slopes = lines.groupby("chain_topology")["rtt_per_function_us"].first().to_dict()
    assert slopes == pytest.approx(planted_studies.HOP_US, rel=0.02)


def test_slopes_are_said_in_the_caption(studies):
    output = list(slopes_of(drawn("chain-rtt", studies), Words(lang="pt")))
    assert len(output) == 6
    (direct,) = [one for one in output if one.startswith("raw socket, direta: ")]
    none_us, hop_us = (float(us.replace(",", ".")) for us in re.findall(r"([\d,]+) µs", direct))
    assert none_us == pytest.approx(planted_studies.CHAIN_NONE_US, abs=1.0)
    assert hop_us == pytest.approx(planted_studies.HOP_US["direct"], rel=0.02)
    assert "por função a partir da primeira" in direct


def test_every_round_trip_lies_inside_its_panel():
    runs = planted_studies.chain_runs()
    aware = runs.assign(nsh_aware=True, rtt_mean_us=5.0 * runs["rtt_mean_us"])
    section = fit_section(pd.concat([runs, aware], ignore_index=True), "capacity")
    figure = KINDS["chain-rtt"].draw(drawn("chain-rtt", section), Words()).whole
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) == 1
    assert {"NSH-aware", "NSH-unaware"} <= {
        part for text in figure.legends[0].get_texts() for part in text.get_text().split(", ")
    }
    for axes in panels:
        tops = [np.max(np.asarray(line.get_ydata())) for line in axes.get_lines()]
        assert axes.get_ylim()[1] >= max(tops)


def test_bars_of_round_trips_are_standard_errors():
    runs = planted_studies.chain_runs()
    table = drawn("chain-rtt", fit_section(runs, "capacity"))
    cell = table[(table["series"] == "measured") & (table["chain_length"] == 8)].iloc[0]
    own = runs[(runs["chain_length"] == 8) & (runs["generator"] == "ping")
               & (runs["chain_function"] == cell["chain_function"])
               & (runs["chain_topology"] == cell["chain_topology"])]["rtt_mean_us"]  # fmt: skip
    assert cell["rtt_us"] == pytest.approx(own.mean())
    assert cell["standard_error_us"] == pytest.approx(own.std(ddof=1) / len(own) ** 0.5)


def test_no_line_is_put_through_two_lengths():
    section = fit_section(planted_studies.chain_runs(lengths=(0, 8)), "capacity")
    assert set(drawn("chain-rtt", section)["series"]) == {"measured"}


def test_cost_of_an_operation_is_the_planted_one():
    costs = costs_of(planted_studies.operation_runs())
    most = costs[costs["times"] == 64]
    found = most[most["working_set_bytes"] < 1 << 24].groupby("kind")["ns"].median().to_dict()
    assert found == pytest.approx(planted_studies.OPERATION_NS, rel=0.05)
    large = most[most["working_set_bytes"] == 1 << 24]["ns"].iloc[0]
    truth = planted_studies.OPERATION_NS["hash_lookup"] + planted_studies.MISS_NS
    assert large == pytest.approx(truth, rel=0.05)


def test_cost_does_not_depend_on_the_number_of_cores():
    one = planted_studies.operation_runs()
    two = one.assign(queues=2, forwarded_mpps=2.0 * one["forwarded_mpps"])
    one, two = (costs_of(runs)["ns"] for runs in (one, two))
    assert two.to_numpy() == pytest.approx(one.to_numpy())


def test_runs_at_line_rate_say_nothing_of_a_cost():
    runs = planted_studies.operation_runs(sets=(0,))
    at_line = runs.assign(link_gbps=0.67, offered_mpps=0.997024)  # of the fastest kinds
    capped = at_line.assign(forwarded_mpps=runs["forwarded_mpps"].clip(upper=0.997024))
    section = fit_section(capped, "capacity")
    table = KINDS["operations-by-kind"].table(section)
    assert isinstance(table, LeftOut)
    assert table.why == "no run of one kind of operation has its counterpart without any"


def test_settings_of_sockets_are_not_pooled(studies):
    table = drawn("af-xdp-settings", studies)
    assert len(table) == 3 * 4 * 2 * 2
    assert set(table["runs"]) == {2}


def test_one_load_alone_is_no_curve_but_a_point_over_accesses(studies):
    table = drawn("latency-by-accesses", studies)
    assert dict(zip(table["memory_accesses"], table["latency_us"], strict=True)) == {
        0: 100.0, 100: 200.0, 800: 900.0,
    }  # fmt: skip
    left_out = KINDS["latency-by-load"].table(studies)
    assert isinstance(left_out, LeftOut)
    assert left_out.why == "the load was not varied"


def test_only_what_varies_is_told():
    table = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "c": [0, 1, 0, 1], "d": [5] * 4})
    assert varying(table, ["a", "b", "c", "d"]) == ["a", "c"]
    assert varying(table, ["a", "b", "c", "d"], within=["b"]) == ["c"]


@pytest.mark.deep
@pytest.mark.usefixtures("unrendered")
def test_tables_of_the_page_are_there_as_csv(studies, tmp_path):
    _, html = written(studies, tmp_path, lang="pt")
    for kind in SUMMARIES:
        assert not pd.read_csv(tmp_path / "tables" / f"{kind.name}.csv").empty
        assert f'href="tables/{kind.name}.csv"' in html
        assert Words(lang="pt")(kind.title) in html
    assert "ensaio" in html
    assert not re.findall(r"<th>(dropped|program|goal|operation)</th>", html)


def test_strange_operations_are_left_out_of_costs():
    runs = planted_studies.operation_runs(sets=(0,))
    strange = runs.head(2).assign(operations=["not JSON", json.dumps([1])])
    with_strange = pd.concat([runs, strange], ignore_index=True)
    pd.testing.assert_frame_equal(costs_of(with_strange), costs_of(runs))
