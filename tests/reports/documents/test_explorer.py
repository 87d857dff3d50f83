"""The explorer of a page says what the model says, whatever the sliders stand at."""

import itertools
import json
from dataclasses import replace

import pandas as pd
import pytest

from linerate.face.model import Model
from linerate.models import MODELS
from linerate.reports import words_in
from linerate.reports.explorer import explorer_of

from .browser import CHROMIUM, WHY_NOT, browser

FACTORS = ("memory_accesses", "frame_bytes", "queues", "link_gbps", "offered_mpps")
SETTINGS = {"memory_accesses": (0, 30, 50), "frame_bytes": (0, 6), "queues": (0, 1, 15),
            "link_gbps": (3, 7), "offered_mpps": (10, 66)}  # fmt: skip
"""Places of the sliders: at the ends of what was measured, between, and outside."""
ASKED = """((places) => {
  const one = explorers[0], said = [];
  for (const [path, ...rest] of places) {
    one.controls.path.input.value = path;
    Object.keys(one.model.values).forEach((name, n) => {
      one.controls[name].input.value = rest[n];
    });
    one.controls.path.input.dispatchEvent(new Event("input"));
    said.push({ path: one.controls.path.value.name, cell: one.cell, ...one.found,
                text: document.querySelector(".explorer p").textContent });
  }
  return said;
})(%s)"""


@pytest.fixture(scope="module")
def page(printed, tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip(WHY_NOT)
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        opened.open(printed["en"].folder / "report.html")
        yield opened
        assert opened.complaints == []


@pytest.fixture(scope="module")
def answers(page):
    """Read what the page says at many settings of its sliders."""
    places = list(itertools.product((0, 1), *SETTINGS.values()))
    return page.run(ASKED % json.dumps(places))


def predictions(section, answers):
    datapaths = {"XDP native": "xdp_native", "XDP generic": "xdp_generic"}
    cells = pd.DataFrame([one["cell"] for one in answers]).assign(
        datapath=[datapaths[one["path"]] for one in answers], program="map_lookup"
    )
    return cells, Model(file=section.file).predict(cells.drop(columns="offered_mpps"))


def test_rates_and_their_intervals_are_those_of_predict(section, answers):
    cells, found = predictions(section, answers)
    assert len(cells.drop_duplicates()) == 144
    names = {"mpps": "predicted_mpps", "low": "lower_mpps", "high": "upper_mpps",
             "chance": "sustains_line_rate"}  # fmt: skip
    for name, column in names.items():
        output = [one[name] for one in answers]
        assert output == pytest.approx(found[column].to_list(), rel=1e-9), name
    assert [one["limit"] for one in answers] == found["bottleneck"].to_list()
    assert [one["inside"] for one in answers] == found["in_domain"].to_list()


def test_latency_is_that_of_the_fitted_queue(section, answers):
    cells, _ = predictions(section, answers)
    known = (cells["datapath"] == "xdp_native").to_numpy()
    mean_us = section.latency.predict(cells[known]).mean_us
    output = [one["mean"] for one in answers]
    assert [one for one, of in zip(output, known, strict=True) if of] == pytest.approx(
        mean_us.tolist()
    )
    assert {one for one, of in zip(output, known, strict=True) if not of} == {None}


def test_the_sentence_prints_the_numbers(answers):
    number = words_in("en").number
    for one in answers:
        begin = "Yes" if one["chance"] >= 0.5 else "No"
        assert one["text"].startswith(f"{begin}: {number(one['line'], 4)} Mpps")
        ends = f"{number(one['low'], 4)} to {number(one['high'], 4)}"
        assert f"{number(one['mpps'], 4)} Mpps ({ends}, 90 % of loads)" in one["text"]
        assert ("Outside what was measured" in one["text"]) != one["inside"]


def test_curves_pass_through_the_mark(page):
    """The mark of the cell lies on the drawn curve, in the middle of its interval's bar."""
    page.run(ASKED % json.dumps([[0, 30, 0, 1, 3, 50]]))
    for name in ("capacity", "roofline"):
        mark = page.run(
            f"['cx', 'cy'].map((one) => Number(explorers[0].{name}.mark.getAttribute(one)))"
        )
        points = page.run(f"explorers[0].{name}.curve.getAttribute('d').slice(1).split('L')"
                          ".map((one) => one.split(' ').map(Number))")  # fmt: skip
        near = min(points, key=lambda point: abs(point[0] - mark[0]))
        assert near == pytest.approx(mark, abs=6.0)


def test_no_axes_stand_empty_where_latency_is_not_known(page):
    shown = "getComputedStyle(explorers[0].latency.svg).display"
    draw = "explorers[0].drawLatency(explorers[0].model.paths[0], {offered_mpps: 1.0}, %s)"
    page.run(draw % "null")
    assert page.run(shown) == "none"
    page.run(ASKED % json.dumps([[0, 30, 0, 1, 3, 10]]))
    assert page.run(shown) != "none"


@pytest.mark.parametrize("width", [400, 1200])
def test_it_fits_the_page(page, width):
    page.size(width)
    assert page.run("document.documentElement.scrollWidth") <= width
    shown = page.run("document.querySelector('.explorer svg').getBoundingClientRect().width")
    assert 250 < shown < width


def test_it_is_not_printed(page):
    page.do("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.querySelector('.explorer')).display") == "none"
    page.do("Emulation.setEmulatedMedia", media="screen")


def test_a_model_without_a_formula_is_named_and_not_shown(section):
    other = next(model for model in MODELS if model.name == "log_wls")
    learned = replace(section.file, capacity_model=other.fit(section.training))
    found = explorer_of(replace(section, file=learned), words_in("en"))
    assert found.data == ""
    assert "cannot evaluate the model of XDP native; XDP generic" in found.note


def test_without_a_model_there_is_no_explorer(section):
    found = explorer_of(replace(section, file=None), words_in("en"))
    assert (found.data, found.note) == ("", "")
