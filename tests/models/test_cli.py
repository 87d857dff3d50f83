"""fit, validate, predict and fits, as typed by a user."""

import json
import tomllib

import pandas as pd
import pytest

from linerate.box import box_from, read_box
from linerate.cli import main
from linerate.models.catalogue import MODEL_NAMES

from .latency.test_overload import flooded
from .planted import cells_table, lab_table, split_table

pytestmark = pytest.mark.long

ADDED = ["predicted_mpps", "lower_mpps", "upper_mpps", "lower_median_mpps", "upper_median_mpps",
         "sustains_line_rate", "bottleneck",
         "in_domain"]  # fmt: skip
CAPACITY = ["--kind", "capacity"]
CELL = ["--datapath", "xdp_native", "--memory-accesses", "100", "--frame-bytes", "64"]


def run(*argv):
    """Exit code of one command."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in argv])
    return ended.value.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    lab_table().to_csv(folder / "runs.csv", index=False)
    few = lab_table(queues=(1,), accesses=(0, 100, 400, 800), sizes=(64, 512), reloads=2)
    few.to_csv(folder / "few.csv", index=False)
    pd.concat([lab_table(), split_table()]).to_csv(folder / "both.csv", index=False)
    assert run("fit", folder / "runs.csv", "--out", folder / "model.json", *CAPACITY) == 0
    assert run("fit", folder / "both.csv", "--out", folder / "both.json", *CAPACITY) == 0
    return folder


def test_fit_prints_formula_and_error_beside_the_noise_floor(folder, tmp_path, capsys):
    assert run("fit", folder / "runs.csv", "--out", tmp_path / "m.json", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["model"] == "capacity"
    assert "xdp_native/map_lookup: pps = min(line rate" in "\n".join(answer["formula"])
    assert answer["scores"]["noise_floor"]["mean_percent"] > 0


def test_fit_says_how_many_rows_were_left_out(tmp_path, capsys):
    runs = lab_table(queues=(1,), sizes=(64, 512), reloads=1)
    runs.loc[:3, "verdict"] = "invalid"
    runs.to_csv(tmp_path / "runs.csv", index=False)
    assert run("fit", tmp_path / "runs.csv", "--out", tmp_path / "m.json", "--kind",
               "log_ols") == 0  # fmt: skip
    assert f"4 of {len(runs)} rows left out: judged invalid" in capsys.readouterr().err


def test_an_unknown_model_is_refused(folder, tmp_path, capsys):
    code = run("fit", folder / "runs.csv", "--out", tmp_path / "m.json", "--kind", "magic")
    assert code == 2
    output = capsys.readouterr().err
    assert "model=magic: no such model; allowed: capacity, hybrid, gp," in output
    assert "log_quantile, auto; use one" in output


@pytest.mark.deep
def test_validate_prints_all_models_side_by_side(folder, capsys):
    assert run("validate", folder / "few.csv", "--by", "frame_bytes", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [scores["model"] for scores in answer["models"]] == list(MODEL_NAMES)


def test_validate_prints_those_that_are_named(folder, capsys):
    two = ["--kind", "capacity", "--kind", "log_ols"]
    assert run("validate", folder / "few.csv", *two) == 0
    out = capsys.readouterr().out
    assert "noise floor" in out
    assert "capacity" in out


def test_an_unknown_split_is_refused(folder, capsys):
    assert run("validate", folder / "runs.csv", "--by", "moon") == 2
    assert "by=moon: no such split" in capsys.readouterr().err


def test_predict_answers_for_one_cell(folder, capsys):
    assert run("predict", folder / "model.json", *CELL, "--queues", 2, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["predicted_mpps"] == pytest.approx(2e3 / (93 + 150), rel=0.05)
    assert answer["bottleneck"] == "service"
    assert answer["in_domain"] is True


def test_check_exits_with_1_where_the_answer_is_no(folder):
    assert run("predict", folder / "model.json", *CELL, "--queues", 1, "--check") == 1
    assert run("predict", folder / "model.json", *CELL, "--queues", 1) == 0
    assert run("predict", folder / "model.json", *CELL[:-1], 1500, "--queues", 1, "--check") == 0


def test_predict_outside_the_domain_answers_and_says_so(folder, capsys):
    assert run("predict", folder / "model.json", *CELL, "--queues", 8) == 0
    assert "Outside what was measured" in capsys.readouterr().out


def test_predict_adds_latency_and_cpu_where_it_knows_them(folder, capsys):
    load = ["--queues", 1, "--offered-mpps", 1.0, "--json"]
    assert run("predict", folder / "both.json", *CELL, *load) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["latency_mean_us"] > 5.0
    assert answer["cpu_busy_ratio"] == pytest.approx(0.5, rel=0.05)
    assert run("predict", folder / "model.json", *CELL, *load) == 0
    assert "without runs of the split mode" in capsys.readouterr().err


def test_predict_says_what_a_full_ring_does_to_latency(tmp_path, capsys):
    model, runs = tmp_path / "model.json", tmp_path / "runs.csv"
    flooded().to_csv(runs, index=False)
    assert run("fit", runs, "--kind", "capacity", "--out", model) == 0
    assert "in overload latency = ring * queues / Mpps" in capsys.readouterr().out
    load = ["--queues", 1, "--offered-mpps"]
    assert run("predict", model, *CELL, *load, 14.0, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["latency_lower_us"] < answer["latency_mean_us"] < answer["latency_upper_us"]
    assert answer["latency_in_domain"] is True
    assert run("predict", model, *CELL, *load, 14.0) == 0
    assert "in full rings" in capsys.readouterr().out
    assert run("predict", model, *CELL, *load, 1.0) == 0
    output = capsys.readouterr()
    assert "measured in overload only" in output.err
    assert "latency" not in output.out


def test_predict_says_which_latency_is_extrapolated(folder, capsys):
    far = ["--datapath", "xdp_native", "--memory-accesses", 6400, "--frame-bytes", 64]
    assert run("predict", folder / "both.json", *far, "--queues", 1, "--offered-mpps", 0.01) == 0
    output = capsys.readouterr().out
    assert "Latency was measured on other cells only" in output
    assert "in the mode that latency was measured in, which carries" in output


def test_predict_cells_keeps_every_column_and_adds_six(folder, tmp_path):
    cells = cells_table(memory_accesses=[0, 100, 12800]).assign(note=["a", "b", "c"])
    cells.to_csv(tmp_path / "cells.csv", index=False)
    out = tmp_path / "out.csv"
    assert run("predict", folder / "model.json", "--cells", tmp_path / "cells.csv",
               "--out", out) == 0  # fmt: skip
    answer = pd.read_csv(out)
    assert list(answer.columns) == [*cells.columns, *ADDED]
    assert (answer["note"] == cells["note"]).all()


def test_cells_without_a_link_take_the_option(folder, tmp_path):
    cells = cells_table(memory_accesses=[0, 0], frame_bytes=1500).drop(columns="link_gbps")
    cells.to_csv(tmp_path / "cells.csv", index=False)
    out = tmp_path / "out.csv"
    assert run("predict", folder / "model.json", "--cells", tmp_path / "cells.csv", "--out", out,
               "--link-gbps", 5) == 0  # fmt: skip
    answer = pd.read_csv(out)
    assert list(answer.columns) == [*cells.columns, *ADDED]
    assert answer["predicted_mpps"].to_numpy() == pytest.approx(5e3 / 8 / 1520)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "cannot be read as a table"),
        ("datapath,queues\n", "it has no rows"),
        ("datapath,queues\nxdp_native,1\n", "missing memory_accesses, frame_bytes"),
        ("datapath,memory_accesses,queues,frame_bytes\nxdp_native,1,-2,64\n", "queues=-2"),
        ("datapath,memory_accesses,queues,frame_bytes\nxdp_native,1,,64\n", "value is missing"),
        ("datapath,memory_accesses,queues,frame_bytes\nswx,1,1,64\n", "not fitted on it"),
        ("datapath,memory_accesses,queues,frame_bytes\nxdp_native,1\nx,1,1,64,5\n", "path="),
    ],
)
def test_bad_tables_of_cells_end_with_2(folder, tmp_path, capsys, content, why):
    (tmp_path / "cells.csv").write_text(content)
    assert run("predict", folder / "model.json", "--cells", tmp_path / "cells.csv",
               "--out", tmp_path / "out.csv") == 2  # fmt: skip
    assert why in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_predict_cells_tells_json_how_many_and_where(folder, tmp_path, capsys):
    cells_table(memory_accesses=[0, 51200]).to_csv(tmp_path / "cells.csv", index=False)
    out = tmp_path / "out.csv"
    assert run("predict", folder / "model.json", "--cells", tmp_path / "cells.csv", "--out", out,
               "--json") == 0  # fmt: skip
    answer = json.loads(capsys.readouterr().out)
    assert (answer["rows"], answer["outside_domain"], answer["out"]) == (2, 1, str(out))


def test_predict_never_loses_a_column_that_is_there(folder, tmp_path, capsys):
    path = tmp_path / "cells.csv"
    cells_table().assign(predicted_mpps=1.0).to_csv(path, index=False)
    assert run("predict", folder / "model.json", "--cells", path, "--out", tmp_path / "o.csv") == 2
    assert "columns=predicted_mpps: " in capsys.readouterr().err
    assert run("predict", folder / "model.json", "--cells", path, "--out", path) == 2
    assert "it is read by this command" in capsys.readouterr().err


@pytest.mark.parametrize("offered", ["0", "-1", "nan", "20"])
def test_a_load_that_no_link_carries_is_refused(folder, capsys, offered):
    load = ["--queues", 1, "--offered-mpps", offered]
    assert run("predict", folder / "model.json", *CELL, *load) == 2
    assert "offered_mpps=" in capsys.readouterr().err


def test_what_the_runs_cannot_tell_stands_beside_each_answer(folder, tmp_path, capsys):
    model = tmp_path / "m.json"
    assert run("fit", folder / "few.csv", "--out", model, "--kind", "gp") == 0
    assert "one queue count only, scaling is not identifiable" in capsys.readouterr().err
    assert run("predict", model, *CELL, "--queues", 4) == 0
    output = capsys.readouterr().out
    assert "Note: xdp_native/map_lookup: one queue count only" in output
    assert "xdp_generic" not in output
    assert run("predict", model, *CELL, "--queues", 4, "--json") == 0
    assert "not identifiable" in json.loads(capsys.readouterr().out)["notes"][0]
    assert run("fits", "map_lookup", "--model", model, "--memory-accesses", 0) == 0
    assert "Note: xdp_generic/map_lookup: one queue count only" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([*CELL, "--queues", 2, "--out", "o.csv"], "one cell's answer is printed"),
        (["--queues", 2], "no cell is named"),
        (["--datapath", "xdp_native", "--queues", 2], "missing memory_accesses, frame_bytes"),
        (["--cells", "cells.csv"], "--cells needs a table to write"),
        (["--cells", "cells.csv", *CELL], "named with datapath"),
    ],
)
def test_half_a_question_is_refused(folder, capsys, words, why):
    assert run("predict", folder / "model.json", *words) == 2
    assert why in capsys.readouterr().err


def test_fits_answers_in_words(folder, capsys):
    words = ["fits", "map_lookup", "--model", folder / "model.json", "--memory-accesses", 0]
    assert run(*words, "--datapath", "xdp_native") == 0
    out = capsys.readouterr().out
    assert "64 B: yes, with 2 queues" in out
    assert "1500 B: yes, with 1 queue (" in out
    assert run(*words, "--datapath", "xdp_generic", "--frame-bytes", 64, "--check") == 1
    assert "64 B: no (" in capsys.readouterr().out


def test_fits_names_the_programs_it_knows(folder, capsys):
    assert run("fits", "nat", "--model", folder / "model.json", "--memory-accesses", 0) == 2
    assert "allowed: xdp_native/map_lookup, xdp_generic/map_lookup" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fit", "validate", "predict", "fits"])
def test_every_help_has_examples(command, capsys):
    assert run(command, "--help") == 0
    assert f"Examples: linerate {command}" in " ".join(capsys.readouterr().out.split())


def test_fit_writes_the_box_with_its_costs(tmp_path, repository):
    box_file = tmp_path / "box.toml"
    reference = repository / "data/reference-veth"
    out = tmp_path / "model.json"
    assert run("fit", reference, "--out", out, "--kind", "capacity", "--box", box_file) == 0
    box = read_box(box_file)
    cost = box.costs["xdp_native.map_lookup.access_ns"]
    assert 0.0 < cost.lower_ns < cost.value_ns < cost.upper_ns
    assert box == box_from(tomllib.loads(box_file.read_text()), "box")


@pytest.mark.deep
def test_a_summary_of_a_mixed_model_is_statsmodels_own(folder, tmp_path, capsys):
    words = ["fit", folder / "few.csv", "--out", tmp_path / "m.json", "--summary"]
    assert run(*words, "--kind", "log_mixed") == 0
    assert "Mixed Linear Model Regression Results" in capsys.readouterr().out


def test_a_summary_is_statsmodels_own(folder, tmp_path, capsys):
    words = ["fit", folder / "few.csv", "--out", tmp_path / "m.json", "--summary"]
    assert run(*words, "--kind", "log_wls") == 0
    assert "WLS Regression Results" in capsys.readouterr().out
    assert run(*words, "--kind", "forest") == 2
    assert "allowed: log_ols, log_wls, log_mixed, log_quantile" in capsys.readouterr().err


def test_fit_writes_a_card(folder, tmp_path):
    card = tmp_path / "card.md"
    asked = ("fit", folder / "runs.csv", "--out", tmp_path / "m.json", *CAPACITY)
    assert run(*asked, "--card", card) == 0
    page = card.read_text()
    for heading in ("Formula", "Parameters", "Domain", "Residuals", "Provenance", "Known failures"):
        assert f"\n## {heading}\n" in page
    assert "| xdp_native/map_lookup: access_ns | 1.5" in page
    assert "pps = min(line rate" in page
