"""``linerate compare``: one function on every datapath, measured and ranked."""

import json

import pytest

from linerate.cli import main
from linerate.measure.campaign.functions import FUNCTIONS, comparing, function_named, without
from linerate.tables.runs import read_runs


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_function_is_a_campaign_with_each_datapath_once_and_one_below_saturation(function):
    cells = comparing(function, frame_bytes=64, repetitions=2).cells()
    serial = [cell for cell in cells if cell.mode == "serial"]
    assert len(serial) == len({(cell.datapath, cell.settings) for cell in serial})
    assert len(cells) == (2 if function.returns else 1) * len(serial)
    left = without(function, {"xdp_native"})
    assert {cell.datapath for cell in comparing(left, 64, 2).cells()} == {
        cell.datapath for cell in cells
    } - {"xdp_native"}


@pytest.mark.parametrize("words, said", [
    (["drop-all"], "allowed: drop, drop-subnet, forward, accesses"),
    (["drop", "--memory-accesses", "3"], "drop makes none"),
    (["drop", "--figure", "drop.gif"], "cannot be drawn"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused_before_anything_is_written(
    words, said, tmp_path, capsys
):
    with pytest.raises(SystemExit) as ended:
        main(["compare", *words, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_accesses_are_those_asked_for():
    cells = comparing(function_named("accesses", 7), 64, 2).cells()
    assert {cell.memory_accesses for cell in cells} == {7}


@pytest.mark.root
def test_datapaths_are_measured_ranked_and_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("linerate.measure.campaign.functions.TRIAL_SECONDS", 0.05)
    out, figure = tmp_path / "out", tmp_path / "forward.png"
    words = ["compare", "forward", "--out", str(out), "--repetitions", "2", "--json"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--figure", str(figure)])
    assert not ended.value.code
    standings = json.loads(capsys.readouterr().out)["standings"]
    assert {each["datapath"] for each in standings} == {"xdp_native", "xdp_generic", "af_xdp"}
    assert [each["slower"] for each in standings] == sorted(each["slower"] for each in standings)
    assert standings[0]["slower"] == 1.0
    assert all(each["p50_us"] > 0 for each in standings)
    assert len(read_runs([out])) >= 12
    assert figure.stat().st_size > 10_000
    assert len((tmp_path / "forward.csv").read_text().splitlines()) == 4
