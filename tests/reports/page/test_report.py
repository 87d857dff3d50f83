"""The page: the answer first, everything inside, nothing half-written."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from linerate.box import Box
from linerate.cli.app import app_for
from linerate.errors import BadInputError, LinerateError
from linerate.files.outputs import write_whole
from linerate.reports import Words, Writer, fit_section, read_source, sections_of, words_in
from linerate.reports.page.answers import best_of_each_path, constants, verdict_table
from linerate.reports.page.pictures import Drawing
from linerate.reports.page.template import hash_of
from linerate.reports.section.source import boxes_apart

HOSTILE = "<script>alert(1)</script>\"'&"
FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def written(section, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return Writer(folder=folder, words=Words(), command="linerate report x").write([section])


@pytest.fixture(scope="module")
def html(written):
    return written.path.read_text()


def small(runs):
    """Two figures' worth of runs, quick to draw."""
    return runs[(runs["queues"] == 1) & (runs["frame_bytes"] == 64)]


def page_of(runs, folder, lang="en", only=()):
    section = fit_section(runs, "capacity")
    drawing = Drawing(lang=lang, only=only)
    writer = Writer(folder=folder, words=words_in(lang), command="c", drawing=drawing)
    return writer.write([section])


def test_page_fetches_nothing(html):
    assert re.findall(r"(?:src|href)\s*=\s*[\"']?\s*(?:https?:)?//", html) == []
    assert html.count("<script") == 1
    assert "url(" not in html
    (policy,) = re.findall(r'Security-Policy" content="([^"]+)"', html)
    assert "default-src 'none'" in policy
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert hash_of(script) in policy


def test_page_links_only_to_files_beside_it(html, written):
    links = re.findall(r'href="([^"#]+)"', html)
    assert links
    assert all((written.path.parent / link).is_file() for link in links)


def test_every_figure_is_there_as_png_pdf_and_csv(written):
    names = written.sections[0].figures
    assert len(names) == 16
    for name in names:
        assert (written.path.parent / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (written.path.parent / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert not pd.read_csv(written.path.parent / f"{name}.csv").empty


def test_page_begins_with_the_answer(html):
    order = [html.index(f">{title}<") for title in ("The answer", "Figures", "What to distrust",
                                                    "Method and provenance")]  # fmt: skip
    assert order == sorted(order)
    assert html.index("sustains line rate with 2 queues") < order[1]


def test_captions_name_box_program_sizes_n_date_and_command(html):
    caption = re.findall(r"<figcaption>(.*?)</figcaption>", html, re.DOTALL)[1]
    for part in ("planted-box", "map_lookup", "64, 256, 1500 B", "60 cells", "120 runs",
                 "2026-03-01 to 2026-03-02", "median", "linerate report x"):  # fmt: skip
        assert part in caption


def test_error_stands_beside_the_noise_floor(html):
    caption = next(
        text for text in re.findall(r"<figcaption>(.*?)</figcaption>", html, re.DOTALL)
        if "Absolute error" in text
    )  # fmt: skip
    assert "a perfect model would score" in caption


def test_verdicts_agree_with_the_planted_truth(section):
    table = verdict_table(section).set_index(["datapath", "queues", "frame_bytes"])
    # q / (base + 1.5 N) = 0.99 * 14.88 Mpps: N = (2 / 0.01473 - 90) / 1.5 = 30
    assert table.loc[("xdp_native", 2, 64.0), "likely_to"] == pytest.approx(30, abs=5)
    assert bool(table["likely_to"].isna().loc[("xdp_generic", 2, 64.0)])


@pytest.mark.usefixtures("unrendered")
def test_best_of_each_path_names_what_limits_it(section):
    best = {one.datapath: one for one in best_of_each_path(section)}
    assert best["xdp_native"].sustains
    assert not best["xdp_generic"].sustains
    assert best["xdp_generic"].bottleneck == "service"
    assert best["xdp_generic"].lower_mpps < 1e3 / 330 < best["xdp_generic"].upper_mpps


def test_missing_latency_is_said_in_words(serial_runs, tmp_path):
    report = page_of(small(serial_runs), tmp_path, only=("latency-by-load",))
    assert "Latency against offered load: the table has no latency" in report.path.read_text()
    assert not list(tmp_path.glob("latency*"))


@pytest.mark.usefixtures("unrendered")
def test_hostile_text_of_a_table_is_escaped(serial_runs, tmp_path):
    runs = small(serial_runs).assign(program=HOSTILE, campaign=HOSTILE, box=HOSTILE,
                                     forwarded_from=HOSTILE)  # fmt: skip
    html = page_of(runs, tmp_path).path.read_text()
    assert html.count("<script") == 1  # the page's own
    assert "&lt;script&gt;" in html


def test_hostile_box_names_stay_inside_the_folder(serial_runs, tmp_path):
    runs = small(serial_runs)
    sections = [fit_section(runs.assign(box=name), "capacity") for name in ("../../up", "..")]
    report = Writer(folder=tmp_path / "r", words=Words(), command="c",
                    drawing=Drawing(only=("throughput-by-accesses",))).write(sections)  # fmt: skip
    assert {path.name for path in tmp_path.iterdir()} == {"r"}
    folders = {Path(name).parts[0] for part in report.sections for name in part.figures}
    assert folders == {"1-up", "2-box"}


@pytest.mark.usefixtures("unrendered")
def test_machines_are_not_pooled(serial_runs, tmp_path):
    runs = small(serial_runs)
    for name, factor in (("one", 1.0), ("two", 0.5)):
        slower = runs.assign(box=name, forwarded_mpps=factor * runs["forwarded_mpps"])
        slower.to_csv(tmp_path / f"{name}.csv", index=False)
    sections = sections_of([read_source(tmp_path / f"{name}.csv") for name in ("one", "two")],
                           "capacity")  # fmt: skip
    assert [section.box_name for section in sections] == ["one", "two"]
    base = [constants(section)[0].value for section in sections]
    assert base[1] > 1.8 * base[0]


@pytest.mark.usefixtures("unrendered")
def test_page_speaks_portuguese(serial_runs, tmp_path):
    html = page_of(small(serial_runs), tmp_path, lang="pt").path.read_text()
    assert '<html lang="pt">' in html
    assert "Sustenta a taxa de linha?" in html
    assert not re.findall(r">(The answer|Figures|Notes|Throughput[^<]*)<", html)


@pytest.mark.usefixtures("unrendered")
def test_box_file_beside_the_table_is_told(serial_runs, tmp_path):
    box = Box(name="planted-box", cpu_model="Planted CPU", cores=2, threads_per_core=1,
              memory_gib=4.0, kernel="6.1-planted", mitigations={"spectre_v2": "Retpolines"},
              governor="none", hypervisor="kvm", nic="veth")  # fmt: skip
    small(serial_runs).to_csv(tmp_path / "runs.csv", index=False)
    fields = {name: getattr(box, name) for name in box.__slots__}
    (tmp_path / "box.json").write_text(json.dumps(fields))
    sections = sections_of([read_source(tmp_path / "runs.csv")], "capacity")
    html = Writer(folder=tmp_path / "r", words=Words(), command="c").write(sections)
    text = html.path.read_text()
    assert "spectre_v2: Retpolines" in text
    assert "6.1-planted" in text


def test_broken_box_file_is_noted_and_costs_no_report(serial_runs, tmp_path):
    small(serial_runs).to_csv(tmp_path / "runs.csv", index=False)
    (tmp_path / "box.json").write_text('{"name": ')
    source = read_source(tmp_path / "runs.csv")
    assert source.box is None
    assert "box.json not used" in source.notes[0]


@pytest.mark.usefixtures("unrendered")
def test_too_few_runs_for_a_model_still_make_a_report(serial_runs, tmp_path):
    one = small(serial_runs).query("datapath == 'xdp_native' and memory_accesses == 0")
    report = page_of(one, tmp_path)
    assert report.sections[0].model is None
    assert "No verdict" in report.path.read_text()


def test_failed_write_leaves_the_older_file_and_nothing_half_written(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("older")

    def full(self, content):
        with self.open("wb") as file:
            file.write(content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(LinerateError, match=r"report\.html: it cannot be written \(No space"):
        write_whole(path, b"newer")
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_place_of_the_folder_is_refused(section, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInputError, match="it is not a folder; allowed:"):
        Writer(folder=tmp_path / "taken", words=Words(), command="c").write([section])


def test_a_folder_that_cannot_be_made_is_an_error_of_the_world(section):
    with pytest.raises(LinerateError, match="cannot be"):
        Writer(folder=Path("/proc/linerate"), words=Words(), command="c").write([section])


def test_command_answers_in_json(serial_runs, tmp_path):
    small(serial_runs).to_csv(tmp_path / "runs.csv", index=False)
    options = ["--out", str(tmp_path / "r"), "--kind", "capacity", "--json",
               "--only", "cpu-per-core", "--only", "throughput-by-accesses"]  # fmt: skip
    done = CliRunner().invoke(app_for(["report"]), ["report", str(tmp_path / "runs.csv"), *options])
    answer = json.loads(done.stdout)
    assert Path(answer["report"]).is_file()
    part = answer["sections"][0]
    assert part["model"] == "capacity"
    assert {"png", "pdf", "csv", "pdf-88mm"} == set(part["figures"][0])
    assert part["left_out"]
    assert len(part["figures"]) == 1
    page = Path(answer["report"]).read_text()
    assert "--only cpu-per-core --only throughput-by-accesses" in page


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--lang", "fr"], "lang=fr"), (["--kind", "best"], "model=best"),
     (["--only", "best"], "figure=best")],
)  # fmt: skip
def test_unknown_choices_are_refused_before_anything_is_read(options, named, tmp_path):
    out = tmp_path / "r"
    done = CliRunner().invoke(
        app_for(["report"]), ["report", "missing.csv", "--out", str(out), *options]
    )
    assert isinstance(done.exception, BadInputError)
    assert str(done.exception).startswith(named)
    assert not out.exists()


def test_missing_table_leaves_no_folder_behind(tmp_path):
    out = tmp_path / "r"
    done = CliRunner().invoke(
        app_for(["report"]), ["report", str(tmp_path / "missing.csv"), "--out", str(out)]
    )
    assert isinstance(done.exception, BadInputError)
    assert not out.exists()


@pytest.mark.usefixtures("unrendered")
def test_program_loads_of_two_campaigns_are_not_taken_for_one(serial_runs, tmp_path):
    for name in ("a", "b"):
        small(serial_runs).assign(campaign=name).to_csv(tmp_path / f"{name}.csv", index=False)
    sources = [read_source(tmp_path / f"{name}.csv") for name in ("a", "b")]
    (rows,) = boxes_apart(sources)
    assert rows["run_id"].nunique() == 2 * small(serial_runs)["run_id"].nunique()


@pytest.mark.usefixtures("unrendered")
def test_mixed_measurements_are_said_to_be_mixed(serial_runs, tmp_path):
    runs = small(serial_runs).query("datapath == 'xdp_native'")
    line = runs["offered_mpps"]
    forwarded = line.where(runs["memory_accesses"].isin([0, 100]), 0.5 * line)
    html = page_of(runs.assign(forwarded_mpps=forwarded), tmp_path).path.read_text()
    assert "measured: yes and no from 10 to 100" in html
