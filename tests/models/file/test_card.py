"""A model's card says what the model is, and where it fails."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linerate.models import MODELS, Capacity, LogOls, fit_predictor, training_of, validate
from linerate.models.file.card import card_of
from linerate.models.file.failures import BY_FORM, known_failures
from linerate.models.file.modelfile import model_file
from linerate.models.file.provenance import provenance_of
from linerate.reports.page.model_card import card_page

from ..planted import lab_table


def card_for(model, runs):
    training = training_of(runs)
    validation = validate(model, training, rng=np.random.default_rng(0))
    fitted = fit_predictor(model, training, np.random.default_rng(0))
    provenance = provenance_of(runs, fitted_on=len(training), notes=("one note",))
    return card_of(model_file(fitted, provenance, scores=validation.scores), validation)


@pytest.fixture(scope="module")
def runs(lab_runs):
    return lab_runs.assign(lab="veth", box_hash="0123456789abcdef", git_revision="feed")


@pytest.fixture(scope="module")
def cards(runs):
    return {model: card_for(model, runs) for model in (Capacity, LogOls)}


def test_parameters_carry_their_intervals(cards):
    for card in cards.values():
        assert card.parameters
        assert all(one.lower <= one.value <= one.upper for one in card.parameters)
    bounded = [one for one in cards[Capacity].parameters if math.isfinite(one.upper)]
    assert {one.name.split(": ")[1] for one in bounded} >= {"base_ns", "access_ns"}


def test_residuals_are_told_path_by_path(cards, runs):
    card = cards[Capacity]
    assert sum(path.cells for path in card.residuals) == card.scores.cells
    assert {path.pair.datapath for path in card.residuals} == set(runs["datapath"])


def test_the_origin_is_told(cards, runs):
    origin = cards[Capacity].provenance
    assert (origin.box_hashes, origin.revisions) == (("0123456789abcdef",), ("feed",))
    assert len(origin.table_sha256) == 64


def test_the_hash_of_a_table_tells_it_from_one_that_differs_anywhere(runs):
    def hashed(table):
        return provenance_of(table, fitted_on=len(table), notes=()).table_sha256

    first = runs.index[0]
    others = [
        runs.assign(forwarded_mpps=runs["forwarded_mpps"].where(runs.index != first, 0.125)),
        runs.assign(campaign=runs["campaign"].where(runs.index != first, "another")),
        runs.rename(columns={"cpu_busy_ratio": "busy_ratio"}), runs.iloc[::-1], runs.iloc[1:],
    ]  # fmt: skip
    assert hashed(runs) == hashed(runs.copy())
    assert len({hashed(table) for table in [runs, *others]}) == 6


def test_what_was_wrong_when_held_out_is_a_known_failure(cards):
    found = [known for known in cards[LogOls].failures if "held out" in known]
    assert any("mean error" in known for known in found)
    assert not any("mean error" in known for known in cards[Capacity].failures)


def test_intervals_that_do_not_hold_are_a_known_failure(lab_runs):
    training = training_of(lab_runs)
    validation = validate(LogOls, training, rng=np.random.default_rng(0))
    narrow = validation.frame.assign(runs_inside=0.0)
    known = known_failures("log_ols", (), replace(validation, frame=narrow))
    assert any("lie inside their 90 % interval" in one for one in known)


def test_the_lab_is_a_known_failure(cards):
    assert any("veth lab" in known for known in cards[Capacity].failures)
    assert not any("veth lab" in known for known in known_failures("capacity", ("nic",), None))


def test_every_form_has_its_failures():
    assert set(BY_FORM) == {model.name for model in MODELS}


def test_the_page_has_every_part(cards):
    page = card_page(cards[Capacity])
    assert "| box | lab |" in page
    assert "| hash of the box | 0123456789abcdef |" in page
    assert "- one note" in page
    assert "| noise floor of medians | |" in page
    assert "None" not in page


def test_a_page_of_few_runs_says_that_its_error_is_not_known():
    runs = lab_table(queues=(1,), accesses=(0, 400), sizes=(64, 128, 512), reloads=1)
    training = training_of(runs)
    fitted = fit_predictor(LogOls, training, np.random.default_rng(0))
    provenance = provenance_of(runs, fitted_on=len(training), notes=())
    page = card_page(card_of(model_file(fitted, provenance), None))
    assert "Not known: the runs are of too few program loads" in page
    assert "its error is not known" in page


def test_names_cannot_break_a_table(runs):
    odd = runs.assign(program="a|b")
    page = card_page(card_for(LogOls, odd))
    rows = [line for line in page.splitlines() if line.startswith("| xdp_native")]
    assert rows
    assert all("a\\|b" in row for row in rows)
