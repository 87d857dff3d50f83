"""Searches and what they led to: drawn as found, in percent of what their own search found."""

import pytest
from tests.reports import planted_studies
from tests.reports.figures.test_figures import drawn_points
from tests.reports.figures.test_studies import KINDS, drawn, written

from linerate.reports import Words, fit_section, read_source, sections_of


def test_bounds_are_drawn_as_they_were_found(studies):
    table = drawn("search-bounds", studies)
    found = planted_studies.searches()
    assert sorted(table["lower_mpps"].dropna()) == sorted(found["lower_mpps"].dropna())
    figure = KINDS["search-bounds"].draw(table, Words()).whole
    across = {round(x, 9) for x, _ in drawn_points(figure)}
    # the ends of an interval are marks like |, which drawn_points takes for error bars
    assert across == {round(x, 9) for x in (
        *table["mrr_mpps"].dropna(), *table[table["upper_mpps"].isna()]["lower_mpps"].dropna()
    )}  # fmt: skip
    output = {text.get_text() for text in figure.legends[0].get_texts()}
    assert "no upper bound found" in output
    assert "no lower bound found" not in output


def test_load_is_in_percent_of_what_its_own_search_found(studies):
    table = drawn("load-latency", studies)
    assert set(table["load_percent"]) == {10.0, 50.0, 90.0, 100.0}
    assert set(table["runs"]) == {2}


def test_frame_loss_is_in_percent_of_the_highest_load(studies):
    table = drawn("frame-loss", studies)
    found = dict(zip(table["load_percent"], table["loss_percent"], strict=True))
    assert found == pytest.approx({50.0: 0.0, 60.0: 0.0, 80.0: 20.0, 100.0: 40.0})


def test_curves_are_no_runs_of_capacity():
    section = fit_section(planted_studies.curve_runs(), "capacity")
    assert section.training is None
    assert section.notes == ()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_searches_beside_the_runs_are_read(form, tmp_path):
    planted_studies.curve_runs().to_parquet(tmp_path / "runs.parquet")
    table = planted_studies.searches()
    write = table.to_csv if form == "csv" else table.to_parquet
    write(tmp_path / f"searches.{form}", index=False)
    (section,) = sections_of([read_source(tmp_path)], "capacity")
    assert section.studies == ("searches",)
    assert set(drawn("load-latency", section)["load_percent"]) == {10.0, 50.0, 90.0, 100.0}
    assert len(drawn("search-bounds", section)) == len(table)


def test_searches_without_any_run_make_a_report(tmp_path):
    planted_studies.searches().to_csv(tmp_path / "searches.csv", index=False)
    (section,) = sections_of([read_source(tmp_path)], "capacity")
    report, html = written(section, tmp_path / "r")
    assert report.figures == ("search-bounds",)
    assert (
        "PDR on XDP native, map_lookup: 1.93 Mpps carried, median of 2 searches (1.92 to 1.94, "
        "CV 0.7 %). That is the best of 2 cells: 64 B."
    ) in html
    assert (
        "throughput (RFC 2544) on XDP native, map_lookup: 1.2 Mpps carried in one search." in html
    )


def test_searches_that_lie_apart_or_were_disturbed_are_said_to(tmp_path):
    table = planted_studies.searches(3)
    small = (table["frame_bytes"] == 64.0) & (table["goal"] == "pdr")
    table.loc[small & (table["repetition"] == 2), "lower_mpps"] *= 0.5
    table.loc[small & (table["repetition"] == 3), "limited_by"] = "host"
    table.loc[table["goal"] == "ndr", "verdict"] = "suspect"
    table.to_csv(tmp_path / "searches.csv", index=False)
    (section,) = sections_of([read_source(tmp_path)], "capacity")
    _, html = written(section, tmp_path / "r")
    assert "They lie further apart than 8 % (CV): take the range, not the median." in html
    assert "cut short, or carried nothing: 1 of 3 searches." in html
    assert "NDR on XDP native, map_lookup: no answer, for none of 6 searches counts" in html


def test_broken_searches_are_noted_and_cost_no_report(serial_runs, tmp_path):
    serial_runs.to_parquet(tmp_path / "runs.parquet")
    broken = planted_studies.searches().astype({"lower_mpps": "object"})
    broken.loc[0, "lower_mpps"] = "fast"
    broken.to_csv(tmp_path / "searches.csv", index=False)
    source = read_source(tmp_path)
    assert source.searches is None
    assert "searches.csv not used: lower_mpps=fast: it is not a number" in source.notes[0]
