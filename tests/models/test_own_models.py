"""A model of one's own is one file: fitted, saved, asked and held out, and no other edited."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models import KINDS, MODELS, fit_models, load_model, save_model
from linerate.models.answers import predict_cell
from linerate.models.validation.kinds import validate_latency

from . import own_capacity, own_kind

CELL = {
    "datapath": "xdp_native", "program": "map_lookup", "memory_accesses": 100, "queues": 1,
    "frame_bytes": 64.0, "link_gbps": 10.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def with_energy(lab_runs):
    runs = lab_runs.assign(energy_nj=50.0 + 2.0 * lab_runs["memory_accesses"])
    return fit_models(runs, model="capacity", kinds=(*KINDS, own_kind.KIND)).file


def test_an_own_kind_answers_beside_the_rate(with_energy):
    answer = predict_cell(with_energy, CELL)
    assert answer.to_dict()["packet_energy_nj"] == pytest.approx(250.0)
    assert "packet_energy_nj 250" in str(answer)


def test_an_own_kind_stands_in_the_model_file(with_energy, tmp_path):
    path = tmp_path / "model.json"
    save_model(with_energy, path)
    again = load_model(path, kinds=(*KINDS, own_kind.KIND))
    assert again == with_energy
    with pytest.raises(BadInputError, match="energy"):
        load_model(path)


def test_an_own_kind_is_held_out(lab_runs):
    runs = lab_runs.assign(energy_nj=50.0 + 2.0 * lab_runs["memory_accesses"])
    found = validate_latency(runs, by="group", rng=np.random.default_rng(0), kinds=(own_kind.KIND,))
    score = found.scores[0]
    assert score.quantity == "energy"
    assert score.error.median_percent == pytest.approx(0.0, abs=1e-6)


def test_runs_without_what_an_own_kind_needs_are_fitted_without_it(lab_runs):
    file = fit_models(lab_runs, model="capacity", kinds=(*KINDS, own_kind.KIND)).file
    assert "energy" not in file.fitted
    assert "packet_energy_nj" not in predict_cell(file, CELL).to_dict()


def test_an_own_capacity_model_is_chosen_saved_and_asked(lab_runs, tmp_path):
    models = (*MODELS, own_capacity.Straight)
    file = fit_models(lab_runs, model="straight", models=models).file
    save_model(file, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json", models=models)
    cells = pd.DataFrame([CELL])
    assert again.predict(cells).predicted_mpps == file.predict(cells).predicted_mpps
