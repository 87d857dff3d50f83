"""``linerate import`` and ``linerate lint``, as typed by a user."""

import json

import pandas as pd
import pytest

from linerate.cli import main
from linerate.measure.importers.formats.csv.table import CsvTable
from linerate.measure.importers.formats.moongen import MoonGenTable
from linerate.measure.importers.formats.sar import SarTable
from linerate.measure.importers.mapping import read_mapping
from linerate.tables.runs import read_runs

from .external_logs import moongen, perf, sar, write_run


def run(*argv):
    """Exit code of one command."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in argv])
    return ended.value.code


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    logs = {"csv": moongen(), "txt": moongen(), "sar": sar(), "perf": perf()}
    write_run(folder, logs, folder="resultados1")
    write_run(folder, {"csv": moongen(rx_mpps=0)}, folder="resultados4")
    (folder / "notes.txt").write_text("mine")
    return folder


def test_import_writes_a_table_that_the_rest_reads_and_names_everything(study, tmp_path, capsys):
    assert run("import", "capeletti", study, "--out", tmp_path / "runs.csv", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["runs"], len(answer["left_out"])) == (1, 1)
    assert answer["defects"]["unknown_file"] == 1
    assert len(read_runs([tmp_path / "runs.csv"])) == 1
    findings = pd.read_csv(tmp_path / "runs.findings.csv")
    assert {"left_out", "header_shifted", "rx_zero"} <= set(findings["defect"])
    assert "notes.txt" in set(findings["path"])


def test_a_name_without_suffix_is_a_folder_that_reads_as_a_campaign(study, tmp_path, capsys):
    assert run("import", "capeletti", study, "--out", tmp_path / "out") == 0
    assert "left out: resultados4" in capsys.readouterr().out
    assert len(read_runs([tmp_path / "out"])) == 1


def test_an_import_never_replaces_a_measured_campaign(study, tmp_path, capsys):
    (tmp_path / "journal.jsonl").write_text("")
    assert run("import", "capeletti", study, "--out", tmp_path) == 2
    assert "it holds a measured campaign" in capsys.readouterr().err


def test_an_import_never_replaces_the_log_that_it_reads(tmp_path, capsys):
    log = tmp_path / "rates.csv"
    log.write_text("a,b\n1,2\n")
    assert run("import", "csv", log, "--map", tmp_path / "map.toml", "--out", log) == 2
    assert "it is read by this command" in capsys.readouterr().err
    assert log.read_text() == "a,b\n1,2\n"


def test_a_failed_import_leaves_the_older_table_as_it_was(tmp_path, capsys):
    out = tmp_path / "runs.csv"
    out.write_text("older")
    assert run("import", "capeletti", tmp_path, "--out", out) == 2
    assert out.read_text() == "older"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("capelleti", "."), "no such importer"),
        (("sar", "x"), "does not say what its run was"),
        (("capeletti", "/nowhere"), "neither a folder nor an archive"),
        (("capeletti", ".", "--map", "m.toml"), "says what each run was"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_reason(tmp_path, capsys, argv, why):
    assert run("import", *argv, "--out", tmp_path / "runs.csv") == 2
    assert why in capsys.readouterr().err


def test_lint_exits_with_1_only_when_asked_and_something_is_impossible(study, tmp_path, capsys):
    out = tmp_path / "runs.csv"
    assert run("import", "capeletti", study, "--out", out) == 0
    assert run("lint", out, "--check") == 0
    read_runs([out]).assign(forwarded_mpps=99.0).to_csv(out, index=False)
    assert run("lint", out) == 0
    assert run("lint", out, "--check") == 1
    capsys.readouterr()
    assert run("lint", out, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["impossible"] == 1
    [verdict] = answer["verdicts"]
    assert "above_line_rate" in {remark["rule"] for remark in verdict["remarks"]}
    assert all(remark["do"] for remark in verdict["remarks"])


@pytest.mark.parametrize(
    ("name", "table"), [("csv", CsvTable), ("sar", SarTable), ("moongen", MoonGenTable)]
)
def test_the_mapping_of_the_documentation_is_one(repository, tmp_path, name, table):
    page = (repository / "docs/method/other-data.md").read_text()
    block = page.split("\n    [run]\n")[1].split("\nsar is read")[0]
    path = tmp_path / "map.toml"
    path.write_text("[run]\n" + block.replace("\n    ", "\n").strip())
    assert read_mapping(path, name, table).table.model_fields_set
