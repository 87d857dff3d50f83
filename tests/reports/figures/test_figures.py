"""What a figure shows: its table and nothing else, in the reader's language."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from tests.reports.language.test_catalogue import forms, messages_in

from linerate.reports import FIGURES, LeftOut, Words, figure_named, fit_section
from linerate.reports.drawing.page import Page, on_page
from linerate.reports.language.catalogue import catalogue_path
from linerate.reports.page.files import csv_of, rendered
from linerate.units import line_rate_mpps

KINDS = {kind.name: kind for kind in FIGURES}
SLOW = "models-by-split"  # for which models are fitted again and again
ALL = pytest.mark.parametrize("kind", [
    pytest.param(kind, id=kind.name, marks=pytest.mark.deep if kind.name == SLOW else [])
    for kind in FIGURES
])  # fmt: skip


def table_of(kind, section):
    table = kind.table(section)
    assert isinstance(table, pd.DataFrame), table
    return table


def drawn_points(figure):
    """Every (x, y) of lines and marks in the panels, error bars and keys aside."""
    return {
        (round(float(x), 9), round(float(y), 9))
        for axes in figure.axes
        for line in axes.get_lines()
        if line.get_marker() not in ("_", "|", 2, 3)
        for x, y in zip(*line.get_data(), strict=True)
        if np.isfinite(x) and np.isfinite(y)
    }


def points_of(table, x, y):
    scale = 100.0 if y == "cpu_busy_ratio" else 1.0
    rows = table[table[y].notna()]
    return {
        (round(float(a), 9), round(scale * float(b), 9))
        for a, b in zip(rows[x], rows[y], strict=True)
    }


def reread(table, tmp_path):
    path = tmp_path / "drawn.csv"
    path.write_bytes(csv_of(table))
    return pd.read_csv(path)


def fits(figure, width_mm):
    """Hold a figure to its page: as wide, no higher than it, letters of 7 to 9 points."""
    assert figure.get_figwidth() * 25.4 == pytest.approx(width_mm)
    assert figure.get_figheight() * 25.4 <= 220.0 + 1e-6
    shown = [text for text in figure.findobj(Text) if text.get_text()]
    assert all(7.0 <= text.get_fontsize() <= 9.0 for text in shown)


@ALL
def test_every_figure_draws_from_a_table_that_has_what_it_needs(kind, section_of):
    table = table_of(kind, section_of(kind))
    with on_page(Page(width_mm=88)):
        figure = kind.draw(table, Words()).whole
    assert all(axes.has_data() for axes in figure.axes if axes.axison)
    fits(figure, 88)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("throughput-by-accesses", "memory_accesses", "mpps"),
        ("throughput-by-frame-size", "frame_bytes", "mpps"),
        ("queue-scaling", "queues", "speed_up"),
        ("cpu-by-accesses", "memory_accesses", "cpu_busy_ratio"),
        ("cpu-by-load", "offered_mpps", "cpu_busy_ratio"),
        ("latency-by-load", "offered_mpps", "latency_us"),
    ],
)  # fmt: skip
def test_csv_holds_exactly_what_is_drawn(name, x, y, section, tmp_path):
    table = table_of(KINDS[name], section)
    drawn = drawn_points(KINDS[name].draw(table, Words()).whole)
    in_csv = points_of(reread(table, tmp_path), x, y)
    if name == "latency-by-load":  # the capacity is a vertical line, from 0 to 1 of the panel
        capacities = table[table["series"] == "capacity"]["offered_mpps"]
        drawn -= {(round(float(mpps), 9), end) for mpps in capacities for end in (0.0, 1.0)}
    assert drawn == in_csv


def test_held_out_csv_holds_both_panels(section, tmp_path):
    table = reread(table_of(KINDS["held-out"], section), tmp_path)
    figure = KINDS["held-out"].draw(table_of(KINDS["held-out"], section), Words()).whole
    both = points_of(table, "measured_mpps", "predicted_mpps") | points_of(
        table, "measured_mpps", "error_percent"
    )
    assert both <= drawn_points(figure)


def test_map_draws_each_measured_answer_once(section):
    table = table_of(KINDS["line-rate-map"], section)
    figure = KINDS["line-rate-map"].draw(table, Words()).whole
    marks = sum(np.size(line.get_xdata()) for axes in figure.axes for line in axes.get_lines())
    measured = table[table["series"] == "measured"]
    assert marks == len(measured)
    assert set(measured["sustained"]) == {True, False}


@pytest.fixture(scope="module")
def portuguese():
    """Each message of the catalogue without gaps, in Portuguese."""
    catalogue = messages_in(catalogue_path("pt"), "pt").values()
    return {
        text: output
        for message in catalogue
        for text, output in zip(forms(message.id), forms(message.string), strict=True)
    }


@pytest.mark.sampled
@ALL
def test_every_message_of_a_portuguese_figure_is_portuguese(kind, section_of, portuguese):
    figure = kind.draw(table_of(kind, section_of(kind)), Words(lang="pt")).whole
    fits(figure, 180)
    # A word of one language may be a word of the other.
    spoken = set(portuguese.values())
    english = {message for message, output in portuguese.items() if message != output} - spoken
    shown = {figure.get_supxlabel(), figure.get_supylabel()}
    shown |= {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    for axes in figure.axes:
        shown |= {axes.get_xlabel(), axes.get_ylabel(), axes.get_title()}
    assert not shown & english
    assert shown & spoken


def test_numbers_of_a_portuguese_axis_have_a_comma(section):
    kind = KINDS["throughput-by-accesses"]
    figure = kind.draw(table_of(kind, section), Words(lang="pt")).whole
    assert figure.axes[0].yaxis.get_major_formatter()(0.5, 0) == "0,5"


def test_line_rate_is_that_of_the_units(section):
    table = table_of(KINDS["throughput-by-frame-size"], section)
    lines = table[table["series"] == "line_rate"]
    assert lines["mpps"].to_numpy() == pytest.approx(line_rate_mpps(10.0, lines["frame_bytes"]))


def test_bars_reach_from_the_smallest_to_the_largest_run(section, serial_runs):
    table = table_of(KINDS["throughput-by-accesses"], section)
    measured = table[table["series"] == "measured"]
    cell = measured.iloc[0]
    factors = ["datapath", "memory_accesses", "queues", "frame_bytes"]
    own = serial_runs[(serial_runs[factors] == cell[factors]).all(axis=1)]["forwarded_mpps"]
    assert (cell["min_mpps"], cell["max_mpps"]) == (own.min(), own.max())
    assert cell["runs"] == len(own)


def test_no_model_line_leaves_the_counts_that_were_measured(section):
    table = table_of(KINDS["throughput-by-accesses"], section)
    model, measured = (table[table["series"] == name] for name in ("model", "measured"))
    assert model["memory_accesses"].max() <= measured["memory_accesses"].max()


@pytest.mark.deep
@pytest.mark.parametrize("form", ["png", "pdf"])
def test_same_table_gives_the_same_file(form, section):
    kind = KINDS["queue-scaling"]
    table = table_of(kind, section)
    texts = {"title": "t", "caption": "c"}
    files = {rendered(kind.draw(table, Words()).whole, form, texts) for _ in range(2)}
    assert len(files) == 1


def test_a_dollar_sign_in_a_name_is_no_formula(serial_runs):
    few = serial_runs.query("datapath == 'xdp_native' and frame_bytes == 64")
    named = few.assign(program="a_$b$_{\\frac")
    other = few.assign(program="other", run_id=few["run_id"] + "o")
    section = fit_section(pd.concat([named, other], ignore_index=True), "capacity")
    table = table_of(KINDS["queue-scaling"], section)
    figure = KINDS["queue-scaling"].draw(table, Words()).whole
    assert rendered(figure, "png", {"title": "t", "caption": "c"}).startswith(b"\x89PNG")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("changed", "left_out"),
    [
        (lambda runs: runs[runs["mode"] == "serial"],
         {"latency-by-load", "cpu-by-load", "latency-percentiles"}),
        (lambda runs: runs.drop(columns="mode").assign(cpu_busy_ratio=np.nan),
         {"cpu-by-load", "cpu-by-accesses", "published-rates"}),
        (lambda runs: runs[runs["queues"] == 1], {"queue-scaling", "cpu-per-core"}),
        (lambda runs: runs[runs["frame_bytes"] == 64],
         {"throughput-by-frame-size", "line-rate-map"}),
        (lambda runs: runs[runs["memory_accesses"] == 100],
         {"throughput-by-accesses", "line-rate-map", "cpu-by-accesses", "cpu-per-core",
          "published-rates", "counters-by-accesses"}),
    ],
    ids=["no split mode", "no mode, no CPU", "one queue count", "one frame size", "one access"],
)  # fmt: skip
def test_figures_that_lack_their_factors_say_why(changed, left_out, both_runs, portuguese):
    section = fit_section(changed(both_runs), "capacity")
    tables = {kind.name: kind.table(section) for kind in FIGURES if "capacity" in kind.studies}
    why = {name: table.why for name, table in tables.items() if isinstance(table, LeftOut)}
    assert set(why) == left_out | {"latency-by-accesses"}  # no line rate in the split mode
    assert all(reason in portuguese for reason in why.values())


@pytest.mark.parametrize(
    ("changed", "name", "why"),
    [
        (lambda runs: runs[runs["mode"] == "serial"].head(1), "variance-components",
         "no model could be fitted"),
        (lambda runs: runs[runs["mode"] == "serial"].head(1), "next-cells",
         "no model could be fitted"),
        (lambda runs: runs.assign(verdict="invalid"), "counters-by-accesses",
         "no run of the table offers line rate and can be used for capacity"),
    ],
    ids=["one cell's spread", "one cell's plan", "invalid counts"],
)  # fmt: skip
def test_what_is_said_to_be_absent_is(changed, name, why, both_runs):
    table = figure_named(name, FIGURES).table(fit_section(changed(both_runs)))
    assert isinstance(table, LeftOut)
    assert table.why == why
