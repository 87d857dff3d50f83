"""When new runs no longer fit a model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.errors import BadInputError
from linerate.models import Capacity, fit_predictor, save_model, training_of
from linerate.models.file.modelfile import model_file
from linerate.models.file.provenance import provenance_of
from linerate.models.validation.drift import drift_of

from ..planted import lab_table


@pytest.fixture(scope="module")
def predictor(lab_runs):
    return fit_predictor(Capacity, training_of(lab_runs), np.random.default_rng(0))


def slowed(share):
    """Runs of the same cells, not of the same loads, below line by a share."""
    runs = lab_table(noise=0.005, sizes=(64,))
    effect = np.random.default_rng(7).normal(0.0, 0.005, len(runs))
    return runs.assign(forwarded_mpps=runs["forwarded_mpps"] * share * np.exp(-np.abs(effect)))


def test_runs_of_the_same_machine_raise_no_alarm(predictor):
    drift = drift_of(predictor, training_of(slowed(1.0)))
    assert not drift.alarm
    assert drift.median_ratio == pytest.approx(1.0, abs=0.02)


def test_a_slower_machine_raises_the_alarm(predictor):
    drift = drift_of(predictor, training_of(slowed(0.8)))
    assert drift.alarm
    assert drift.median_ratio == pytest.approx(0.8, abs=0.03)
    assert "no longer fits" in str(drift)


def test_two_groups_are_too_few_for_luck_to_be_told_from_change(predictor):
    runs = slowed(0.8)
    runs = runs[(runs["memory_accesses"] == 400) & (runs["queues"] == 1)]
    assert drift_of(predictor, training_of(runs[runs["datapath"] == "xdp_native"])).groups == 1
    drift = drift_of(predictor, training_of(runs[runs["datapath"] == "xdp_native"]))
    assert not drift.alarm
    assert not drift.can_tell
    assert "too few groups to tell" in str(drift)
    assert "still fits" not in str(drift)


def test_what_lies_outside_the_domain_is_counted_and_not_judged(predictor):
    runs = slowed(1.0)
    beyond = runs[runs["memory_accesses"] == 12800].assign(memory_accesses=51200)
    drift = drift_of(predictor, training_of(pd.concat([runs, beyond])))
    assert (drift.groups, drift.groups_left_out) == (40, 4)
    assert "4 more lie outside its domain" in str(drift)


def test_runs_of_another_machine_or_mode_are_told_from_drift(predictor, lab_runs, tmp_path):
    model, runs = tmp_path / "model.json", tmp_path / "runs.csv"
    save_model(model_file(predictor, provenance_of(lab_runs, fitted_on=1, notes=())), model)
    slowed(0.8).assign(box="another", mode="split").to_csv(runs, index=False)
    output = CliRunner().invoke(app_for(["drift"]), ["drift", str(model), str(runs)]).output
    assert "the model is of box lab, these runs of another: what differs need not be" in output
    assert "lab and mode serial, these runs of split" in output


def test_the_command_says_no_only_when_asked_to_check(predictor, lab_runs, tmp_path):
    model, runs = tmp_path / "model.json", tmp_path / "runs.csv"
    save_model(model_file(predictor, provenance_of(lab_runs, fitted_on=1, notes=())), model)
    slowed(0.8).to_csv(runs, index=False)
    plain = CliRunner().invoke(app_for(["drift"]), ["drift", str(model), str(runs)])
    checked = CliRunner().invoke(app_for(["drift"]), ["drift", str(model), str(runs), "--check"])
    assert (plain.exit_code, checked.exit_code) == (0, 1)
    assert "no longer fits" in plain.output


def test_runs_outside_the_domain_say_nothing(predictor):
    runs = slowed(1.0).assign(memory_accesses=51200)
    with pytest.raises(BadInputError, match="none lies inside"):
        drift_of(predictor, training_of(runs))


def test_one_load_of_each_cell_of_the_training_runs_raises_no_alarm(predictor, lab_runs):
    training, rng = training_of(lab_runs), np.random.default_rng(2)
    for _ in range(20):
        drawn = rng.permutation(len(training))
        _, first = np.unique(training.cell[drawn], return_index=True)
        assert not drift_of(predictor, training.take(drawn[first])).alarm


def test_a_table_is_held_against_the_interval_for_as_many_loads_as_it_has(predictor, lab_runs):
    """With intervals of medians that hold nothing, only a table of three loads leaves them."""
    conformal = predictor.conformal
    narrow = replace(conformal.median, ceiling_half_width=1e-9, buckets=tuple(
        replace(bucket, scores=(1e-9,), worth=1.0) for bucket in conformal.median.buckets
    ))  # fmt: skip
    strict = replace(predictor, conformal=replace(conformal, median=narrow))
    three = training_of(lab_runs)
    assert drift_of(strict, three).alarm
    one = training_of(lab_runs[lab_runs["repetition"] == 1])
    assert not drift_of(strict, one).alarm
