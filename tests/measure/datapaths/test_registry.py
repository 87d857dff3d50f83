"""A datapath is one new folder: the worked example of docs/extending.md, measured."""

import re
import sys

import pytest

import linerate.measure.datapaths as package
from linerate.cli import main
from linerate.errors import BadInputError
from linerate.measure.datapaths.registry import datapath_named, datapaths
from linerate.measure.system import survey
from linerate.measure.system.findings import datapaths as abilities
from linerate.models.runs.selection import is_mixed
from linerate.reports.language import Words
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import factored
from linerate.tables.cell_columns import cell_codes
from linerate.tables.columns import COSTS
from linerate.tables.costs import cost_of
from linerate.tables.runs import read_runs

from ...needs import two_cores

PLAN = """\
name = "toy"
lab = "veth"
repetitions = 2
retries = 0
trial_seconds = 0.1
warm_up_seconds = 0.02

[[cells]]
mode = "{mode}"
datapath = ["xdp_native", "routing"]
program = ["{program}"]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = [0.1]
"""


@pytest.fixture
def toy(repository, tmp_path, monkeypatch):
    """Put the example's one file where datapaths are looked for."""
    section = (repository / "docs/extending.md").read_text().split("## A datapath")[1]
    (example,) = re.findall(r"```python\n(.*?)```", section.split("\n## ")[0], re.DOTALL)
    folder = tmp_path / "more/routing"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "datapath.py").write_text(example)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / "more")])
    datapaths.cache_clear()
    try:
        yield datapath_named("routing")
    finally:
        monkeypatch.undo()
        sys.modules.pop("linerate.measure.datapaths.routing", None)
        sys.modules.pop("linerate.measure.datapaths.routing.datapath", None)
        datapaths.cache_clear()


def plan(folder, text):
    (folder / "plan.toml").write_text(text)
    return ["measure", str(folder / "plan.toml"), "--out", str(folder / "out")]


@pytest.mark.root
@two_cores
def test_datapath_of_one_new_file_is_measured_and_read(toy, tmp_path):
    text = PLAN.format(program="ip_forward", mode="split").replace('"xdp_native", ', "")
    text = text.replace("[0.1]", '["line"]')
    _run(plan(tmp_path, text + "routing = { early_demux = [true, false] }\n"))
    runs = read_runs([tmp_path / "out"])
    assert set(runs["datapath"]) == {"routing"}
    assert set(runs["settings"]) == {"early_demux"}
    assert sorted(runs["early_demux"]) == [False, False, True, True]
    assert cell_codes(runs).nunique() == 2, "a setting makes a cell of its own"
    assert condition(
        factored(runs, ["datapath", "early_demux"]).iloc[0], ["datapath", "early_demux"], Words()
    ) == ("kernel routing, early demux" if runs["early_demux"][0] else
          "kernel routing, no early demux")  # fmt: skip
    assert (runs["verdict"] != "invalid").all(), list(runs["verdict_reason"])
    assert (runs["forwarded_packets"] > 0).all()
    assert set(cost_of(runs)) == {"accesses"}
    assert not is_mixed(runs).any(), "models know by its cost whose runs these are"
    with pytest.raises(SystemExit) as linted:  # 1 where it doubts runs, as on a busy machine
        main(["lint", str(tmp_path / "out")])
    assert linted.value.code in (0, 1)
    _run(["report", str(tmp_path / "out"), "--out", str(tmp_path / "report")])
    assert "kernel routing" in (tmp_path / "report/report.html").read_text()


def test_setting_that_cannot_be_is_refused(toy, tmp_path, capsys):
    text = PLAN.format(program="ip_forward", mode="split").replace('"xdp_native", ', "")
    with pytest.raises(SystemExit) as ended:
        main(plan(tmp_path, text + "routing = { early_demux = [2] }\n"))
    assert ended.value.code == 2
    assert "routing: early_demux.0=2: input should be a valid boolean" in capsys.readouterr().err


def _run(argv):
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code in (0, None)


def test_program_of_another_datapath_is_refused(toy, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(plan(tmp_path, PLAN.format(program="ip_forward", mode="split")))
    assert ended.value.code == 2
    assert "program=ip_forward: xdp_native does not run it" in capsys.readouterr().err


def test_doctor_knows_what_a_new_datapath_needs(toy):
    assert "routing" in {each.name for each in abilities(survey())}


@pytest.mark.root
def test_object_of_ones_own_is_refused_in_clear_words(tmp_path, capsys):
    (tmp_path / "mine.bpf.o").touch()
    text = PLAN.format(program="mine.bpf.o", mode="serial").replace(', "routing"', "")
    with pytest.raises(SystemExit) as ended:
        main(plan(tmp_path, text))
    assert ended.value.code == 2
    assert "mine.bpf.o: it is empty; allowed: a BPF object" in capsys.readouterr().err


def test_path_out_of_the_campaigns_folder_is_refused(tmp_path, capsys):
    text = PLAN.format(program="../mine.bpf.o", mode="serial").replace(', "routing"', "")
    with pytest.raises(SystemExit) as ended:
        main(plan(tmp_path, text))
    assert ended.value.code == 2
    assert "a path beside or below the campaign file" in capsys.readouterr().err


def test_costs_are_those_that_tables_know():
    assert {each.cost for each in datapaths().values()} <= set(COSTS)


def test_slip_in_a_campaigns_datapath_is_told(tmp_path, capsys):
    text = PLAN.format(program="map_lookup", mode="serial").replace('"routing"', '"xdp_nativ"')
    with pytest.raises(SystemExit) as ended:
        main(plan(tmp_path, text))
    assert ended.value.code == 2
    words = capsys.readouterr().err
    assert "datapath=xdp_nativ: no lab runs it; allowed: xdp_native, xdp_generic, af_xdp" in words
    assert "did you mean xdp_native?" in words


def test_unknown_datapath_is_refused():
    with pytest.raises(BadInputError, match="datapath=ebpf: no lab runs it; allowed: xdp_native"):
        datapath_named("ebpf")
