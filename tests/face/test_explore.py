"""The explorer draws what the model says, whatever the sliders stand at; no browser is needed."""

import builtins
import io
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import linerate as lr
from linerate.errors import BadInputError, CannotHereError
from linerate.face.explorer.explored import ACCESSES, OFFERED_MPPS
from linerate.face.model import Model
from linerate.reports import fit_section

from ..reports import planted


@pytest.fixture(scope="module")
def model(once):
    """Capacity of two hooks and, of some cells, latency."""
    runs = pd.concat([planted.serial_runs(), planted.split_runs()], ignore_index=True)
    return Model(file=once("section", lambda: fit_section(runs, "capacity")).file)


@pytest.fixture
def explorer(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of ipywidgets
        return lr.explore(model)


def move(explorer, **values):
    for name, value in values.items():
        explorer.controls[name].value = value


def asked(explorer, **more):
    asked = explorer.asked
    return {
        "program": asked.program, "memory_accesses": asked.memory_accesses,
        "frame_bytes": asked.frame_bytes, "queues": asked.queues, "link_gbps": asked.link_gbps,
    } | more  # fmt: skip


CELLS = [
    {"datapath": "xdp_native", "memory_accesses": int(ACCESSES[30]), "queues": 2},
    {"datapath": "xdp_generic", "frame_bytes": 1500, "link_gbps": 100.0},
    {"datapath": "xdp_native", "queues": 16, "link_gbps": 1.0, "offered_mpps": 0.1},
]


@pytest.mark.sampled
@pytest.mark.parametrize("cell", CELLS, ids=["service", "other hook", "beyond the runs"])
def test_marks_stand_where_the_model_predicts(explorer, model, cell):
    move(explorer, **cell)
    predicted = model.predict(cell["datapath"], **asked(explorer))
    x, y = explorer.data("capacity cell")
    assert (x, y) == (explorer.asked.memory_accesses, pytest.approx(predicted.predicted_mpps))
    ends = [predicted.lower_mpps, predicted.upper_mpps]
    assert explorer.data("capacity interval")[1] == pytest.approx(ends)
    assert explorer.data("capacity line rate")[1] == pytest.approx([predicted.line_rate_mpps] * 2)
    assert explorer.data("roofline cell")[1] == pytest.approx(y)
    assert str(predicted).splitlines()[0] in explorer.explored.verdict


def test_curve_of_capacity_is_the_models(explorer, model):
    move(explorer, **CELLS[0])
    cells = pd.DataFrame({"memory_accesses": ACCESSES}).assign(
        datapath="xdp_native", program="map_lookup", frame_bytes=64, queues=2
    )
    x, y = explorer.data("capacity")
    assert x == pytest.approx(ACCESSES)
    assert y == pytest.approx(model.predict(cells)["predicted_mpps"].to_numpy())


def test_curve_of_latency_is_the_models(explorer, model):
    move(explorer, datapath="xdp_native", memory_accesses=0, offered_mpps=OFFERED_MPPS[30])
    x, y = explorer.data("latency")
    load_mpps, mean_us = explorer.data("latency cell")
    predicted = model.predict("xdp_native", **asked(explorer, offered_mpps=load_mpps[0]))
    assert mean_us == pytest.approx(predicted.load.latency_mean_us)
    assert np.interp(load_mpps, x, y) == pytest.approx(mean_us)


def test_cell_lies_on_the_roofline(explorer):
    move(explorer, **CELLS[0])
    place, rate = explorer.data("roofline cell")
    x, y = explorer.data("roofline")
    assert np.exp(np.interp(np.log(place), np.log(x), np.log(y))) == pytest.approx(rate, rel=0.02)


def test_artists_stay_the_same_and_the_picture_changes(explorer):
    artists, before = dict(explorer.picture.artists), explorer.image.value
    move(explorer, queues=4)
    assert explorer.picture.artists == artists
    assert explorer.image.value != before
    assert Image.open(io.BytesIO(explorer.image.value)).size == (960, 297)


def test_what_the_model_refuses_is_said_and_nothing_is_drawn(explorer):
    explorer.controls["frame_bytes"].options = (64, 20)
    move(explorer, frame_bytes=20)
    assert "frame_bytes" in explorer.sentence.value
    assert explorer.data("capacity")[0].size == 0
    move(explorer, frame_bytes=64)
    assert explorer.data("capacity")[0].size == ACCESSES.size


def test_a_model_without_latency_says_so(explorer, model):
    bare = replace(model, file=replace(model.file, fitted={}))
    shown = type(explorer)(bare, __import__("ipywidgets"))
    assert "No latency" in shown.explored.verdict
    assert shown.data("latency")[0].size == 0


def test_without_ipywidgets_it_says_what_to_install(model, monkeypatch):
    real = builtins.__import__

    def lacking(name, *rest):
        if name == "ipywidgets":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(CannotHereError, match=r"ipywidgets: it is not installed.*make lab"):
        lr.explore(model)


def test_a_model_of_operations_is_refused(model):
    other = replace(model, file=replace(model.file, capacity_model=None))
    with pytest.raises(BadInputError, match="memory accesses"):
        lr.explore(other)
