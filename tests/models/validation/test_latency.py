"""Latencies of runs held out: what a table holds is scored, and a leak would be seen."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models.validation.folds import Split
from linerate.models.validation.kinds import validate_latency
from linerate.models.validation.latency import ALL
from linerate.models.validation.latency_rows import BY_MEASURED

from ..latency.test_overload import flooded
from ..planted import lab_table

DATA = Path(__file__).resolve().parents[3] / "data"


def scored(runs, *, by: Split = "group"):
    found = validate_latency(runs, by=by, rng=np.random.default_rng(0))
    return {(score.quantity, score.name): score for score in found.scores}


def test_planted_latency_in_overload_is_predicted():
    found = scored(flooded())
    assert found["mean in overload", ALL].error.median_percent < 2.0
    assert found["mean in overload", ALL].level_error.median_percent > 30.0
    assert found[BY_MEASURED, ALL].error.median_percent < 0.5


@pytest.mark.deep
def test_latency_that_is_luck_is_not_predicted():
    """A leak of the held-out runs would make their errors small."""
    runs = flooded()
    effect = np.exp(np.random.default_rng(3).standard_normal(len(runs)))
    found = scored(runs.assign(latency_mean_us=runs["latency_mean_us"] * effect))
    assert found["mean in overload", ALL].error.median_percent > 30.0


def test_runs_without_latency_are_refused():
    with pytest.raises(BadInputError, match="none has a latency"):
        scored(lab_table())


@pytest.mark.deep
def test_overload_of_the_study_with_groups_held_out(real_runs):
    found = scored(real_runs)
    assert found["mean in overload", "xdp_generic/map_lookup"].error.median_percent < 10.0
    assert found["mean in overload", "af_xdp/af_xdp_memcpy"].error.median_percent < 10.0
    # Program loads of one cell differ by up to a half: half of the native runs lie there.
    assert found["mean in overload", "xdp_native/map_lookup"].error.median_percent < 14.0
    assert found["mean in overload", "xdp_native/map_lookup"].error.mean_percent < 12.0
    assert found[BY_MEASURED, "xdp_native/map_lookup"].error.median_percent < 0.5


@pytest.mark.deep
def test_load_latency_runs_with_each_program_load_held_out():
    runs = pd.read_csv(DATA / "reference-veth-split" / "runs.csv")
    found = scored(runs, by="memory_accesses")
    assert found["mean", ALL].error.median_percent < 25.0
    assert found["mean", ALL].error.median_percent < found["mean", ALL].level_error.median_percent
    assert found["p50", ALL].error.median_percent < found["p50", ALL].level_error.median_percent
    assert found["p99", ALL].error.median_percent < 40.0


def test_round_trips_of_lengths_held_out():
    found = scored(pd.read_csv(DATA / "reference-castanho" / "runs.csv"))
    for quantity in ("round trip p50", "round trip mean"):
        assert found[quantity, ALL].error.median_percent < 10.0
        assert found[quantity, ALL].held_out == "chain_length"


def ended(words):
    with pytest.raises(SystemExit) as end:
        main(words)
    return end.value.code


def test_the_command_prints_draws_and_says_json(tmp_path, capsys):
    runs, figure = tmp_path / "runs.csv", tmp_path / "latency.png"
    flooded().to_csv(runs, index=False)
    words = ["validate", str(runs), "--of", "latency"]
    assert ended([*words, "--figure", str(figure)]) == 0
    assert "mean in overload, held out by group" in capsys.readouterr().out
    assert figure.read_bytes().startswith(b"\x89PNG")
    drawn = pd.read_csv(figure.with_suffix(".csv"))
    assert ended([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["latency"][0]
    assert answer["runs"] == (drawn["quantity"] == answer["quantity"]).sum()
    assert set(answer) >= {"quantity", "runs", "error", "level_error", "noise_floor"}


def test_several_splits_of_latency_are_refused(tmp_path, capsys):
    flooded().to_csv(tmp_path / "runs.csv", index=False)
    assert ended(["validate", str(tmp_path / "runs.csv"), "--of", "latency", "--by", "all"]) == 2
    assert "of=latency: " in capsys.readouterr().err
