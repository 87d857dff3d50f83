"""Model files that are cut short, foreign, of another version or edited by hand."""

import json

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models import (
    Capacity,
    LogOls,
    fit_predictor,
    load_model,
    save_model,
    training_of,
)
from linerate.models.file.modelfile import model_file
from linerate.models.file.provenance import provenance_of
from linerate.models.file.saved import load_rates

from ..planted import lab_table


@pytest.fixture(scope="module")
def predictor(lab_runs):
    return fit_predictor(LogOls, training_of(lab_runs), np.random.default_rng(0))


@pytest.mark.parametrize("load", [load_model, load_rates])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"1", b"[1]", b'"x"', b"[" * 200_000],
    ids=["empty", "cut", "list", "no text", "number", "full list", "word", "deep"],
)  # fmt: skip
def test_foreign_model_files_are_refused(tmp_path, content, load):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match="it is not a whole model file"):
        load(path)


def test_a_file_of_another_version_is_not_guessed_at(tmp_path, predictor, lab_runs):
    path = tmp_path / "model.json"
    save_model(model_file(predictor, provenance_of(lab_runs, fitted_on=1, notes=())), path)
    path.write_text(path.read_text().replace('"schema_version": 3', '"schema_version": 1', 1))
    with pytest.raises(BadInputError, match=r"schema_version=1: .* is of another linerate"):
        load_model(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    runs = lab_table(accesses=(0, 100, 400, 1600), sizes=(64, 512), reloads=2)
    capacity = fit_predictor(Capacity, training_of(runs), np.random.default_rng(0))
    path = tmp_path_factory.mktemp("model") / "model.json"
    save_model(model_file(capacity, provenance_of(runs, fitted_on=1, notes=())), path)
    return path.read_text()


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (("capacity", "paths", 0, "base_ns"), -5.0, "base_ns must be 0 or more"),
        (("capacity", "paths", 0, "base_ns"), 0.0, "base_ns must be above 0"),
        (("capacity", "paths", 0, "base_ns"), 1e-308, "it answers with no number"),
        (("capacity", "paths", 0, "byte_ns"), 1e308, "it answers with no number"),
        (("conformal", "load", "ceiling_half_width"), 1e4, "it answers with no number"),
        (("conformal", "widenings", 0, "queues"), 2e6, "a widening by queues of 2e"),
        (("capacity", "paths", 0, "base_ns"), np.nan, "base_ns: it is not a number"),
        (("capacity", "paths", 0, "base_ns"), "227", "should be a valid number"),
        (("capacity", "paths", 0, "acess_ns"), 1.0, "acess_ns: Unexpected keyword"),
        (("capacity", "paths", 0, "coefficients"), [1.0, 2.0, 3.0], "coefficients"),
        (("capacity", "paths"), [], "it is of other paths"),
        (("capacity", "nic_cap_mpps"), -1.0, "nic_cap_mpps"),
        (("domain", "pairs", 0, "queues"), {"low": 9.0, "high": 1.0}, "from 9 to 1 is not a range"),
        (("conformal", "load", "buckets"), [], "the last bucket"),
        (("conformal", "median", "buckets", 0, "scores"), [0.1, -0.1], "ascend"),
        (("conformal", "load", "buckets", 0, "worth"), 0.0, "scores must be worth one"),
        (("conformal", "load", "ceiling_half_width"), -3.0, "ceiling_half_width"),
    ],
    ids=str,
)
def test_a_file_edited_by_hand_never_answers_with_nonsense(tmp_path, written, place, value, why):
    fields = json.loads(written)
    *way, last = place
    part = fields
    for step in way:
        part = part[step]
    part[last] = value
    (tmp_path / "model.json").write_text(json.dumps(fields))
    with pytest.raises(BadInputError, match=why):
        load_model(tmp_path / "model.json")


def test_truncated_model_files_are_refused(tmp_path, predictor, lab_runs):
    path = tmp_path / "model.json"
    save_model(model_file(predictor, provenance_of(lab_runs, fitted_on=1, notes=())), path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadInputError, match="fit again"):
        load_model(path)


def test_a_missing_model_file_says_how_to_make_one(tmp_path):
    with pytest.raises(BadInputError, match="linerate fit RUNS --out"):
        load_model(tmp_path / "none.json")
