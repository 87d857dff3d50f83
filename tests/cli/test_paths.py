"""A path that is not what a command takes: it says what it got, and what to type next."""

import re
import shutil

import pytest

import linerate as lr
from linerate.cli import main
from linerate.errors import BadInputError

REPORT = ["report", "--out", "report"]
MEASURE = ["measure", "--out", "out"]
PREDICT = ["predict", "--datapath", "xdp_native", "--memory-accesses", "0", "--frame-bytes", "64",
           "--queues", "1"]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch, repository):
    """Work in a folder that holds two campaigns, a plan, a table and a model."""
    monkeypatch.chdir(tmp_path)
    for name in ("first", "second"):
        (tmp_path / "results" / name).mkdir(parents=True)
    table = repository / "data/reference-veth/runs.csv"
    shutil.copy(table, tmp_path / "results/second/runs.csv")
    (tmp_path / "results/first/journal.jsonl").write_text("{}\n")
    shutil.copy(table, tmp_path / "table.csv")
    shutil.copy(repository / "data/campaigns/quick.toml", tmp_path / "quick.toml")
    (tmp_path / "model.json").write_text('{\n "schema_version": 1\n}\n')
    (tmp_path / "map_lookup.bpf.o").write_bytes(b"\x7fELF")
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "got", "do"),
    [
        ([*REPORT, "results"], "path=results: it is a folder of 2 campaigns, not one: first, "
         "second", "next: linerate report --out report results/second"),
        ([*REPORT, "tabel.csv"], "path=tabel.csv: there is no such file",
         "next: linerate report --out report table.csv"),
        ([*REPORT, "nowhere/at/all"], "path=nowhere/at/all: there is no such file or folder",
         "linerate measure CAMPAIGN.toml --out FOLDER"),
        (["fit", "quick.toml", "--out", "m.json"], "path=quick.toml: it is a campaign file",
         "linerate measure quick.toml --out results/quick"),
        (["validate", "model.json"], "path=model.json: it is a model file",
         "linerate predict model.json --help"),
        (["lint", "map_lookup.bpf.o"], "path=map_lookup.bpf.o: it is a program",
         "name it as program in a campaign file"),
        (["fit", "empty", "--out", "m.json"], "path=empty: no campaign was measured into",
         "linerate measure CAMPAIGN.toml --out empty"),
        (["fit", "results/first", "--out", "m.json"], "stopped before its table was written",
         "linerate measure results/first/campaign.toml --out results/first --resume"),
        ([*PREDICT, "results/second"], "model=results/second: these are runs, not a model",
         "linerate fit results/second --out model.json"),
        ([*PREDICT, "results"], "model=results: it is a folder of campaigns: first, second",
         "linerate fit results/second --out model.json"),
        ([*PREDICT, "table.csv"], "model=table.csv: these are runs, not a model",
         "linerate fit table.csv --out model.json"),
        ([*PREDICT, "quick.toml"], "model=quick.toml: it is a campaign file",
         "linerate measure quick.toml --out results/quick"),
        ([*PREDICT, "modle.json"], "path=modle.json: there is no such file",
         "next: linerate predict --datapath"),
        ([*PREDICT, "none"], "path=none: there is no such file",
         "write it: linerate fit RUNS --out none"),
        ([*PREDICT, "empty"], "model=empty: it is a folder", "that linerate fit wrote"),
        ([*MEASURE, "."], "campaign=.: it is a folder; it holds 1 TOML file: quick.toml",
         "next: linerate measure --out out quick.toml"),
        ([*MEASURE, "results"], "campaign=results: it is a folder of measured campaigns: first, "
         "second", "name a campaign file"),
        ([*MEASURE, "empty"], "campaign=empty: it is a folder without a TOML file", "(TOML)"),
        ([*MEASURE, "quik.toml"], "path=quik.toml: there is no such file",
         "next: linerate measure --out out quick.toml"),
        ([*MEASURE, "table.csv"], "campaign=table.csv: these are runs that were measured",
         "linerate fit table.csv --out model.json"),
        ([*MEASURE, "model.json"], "campaign=model.json: it is a model file",
         "linerate predict model.json --help"),
        ([*MEASURE, "map_lookup.bpf.o"], "campaign=map_lookup.bpf.o: it is a program",
         "name it as program in a campaign file"),
    ],
)  # fmt: skip
def test_it_is_said_what_a_path_is_and_what_to_type(folder, capsys, words, got, do):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert got in output
    assert do in output
    assert not (folder / "m.json").exists()


@pytest.mark.parametrize(
    ("name", "do"),
    [("map_lookup.c", "ask by name: linerate fits map_lookup"),
     ("other.c", "measure it: name it as program in a campaign file")],
)  # fmt: skip
def test_an_object_is_not_the_name_of_a_program(folder, capsys, name, do):
    fit = ["fit", "table.csv", "--out", "fitted.json", "--kind", "log_ols"]
    for words in (fit, ["fits", name, "--model", "fitted.json", "--memory-accesses", "0"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert f"program={name}: it is a file" in output
    assert do in output


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: lr.read("results"), "path=results: it is a folder of 2 campaigns, not one"),
        (lambda: lr.read("quick.toml"), "path=quick.toml: it is a campaign file"),
        (lambda: lr.load("results/second"), "model=results/second: these are runs, not a model"),
        (lambda: lr.load("nothing"), "path=nothing: there is no such file"),
        (lambda: lr.measure("results", out="out"), "campaign=results: it is a folder of measured"),
        (lambda: lr.measure("table.csv", out="out"), "campaign=table.csv: these are runs"),
    ],
)  # fmt: skip
def test_the_face_says_the_same(folder, ask, error):
    with pytest.raises(BadInputError, match=re.escape(error)):
        ask()
