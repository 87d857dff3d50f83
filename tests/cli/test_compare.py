"""``linerate compare``: one function on every datapath, measured and ranked."""

import json
from dataclasses import replace

import pytest

from linerate.cli import main
from linerate.face.compared import compare
from linerate.measure.campaign.functions import (
    FUNCTIONS,
    comparing,
    comparing_pipeline,
    function_named,
    laid_out,
    without,
)
from linerate.measure.datapaths.registry import datapaths
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


@pytest.mark.parametrize("words, output", [
    (["drop-all"], "allowed: drop, drop-subnet, drop-route, drop-count, forward, accesses"),
    (["drop", "--memory-accesses", "3"], "drop makes none"),
    (["drop", "--figure", "drop.gif"], "cannot be drawn"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused_before_anything_is_written(
    words, output, tmp_path, capsys
):
    with pytest.raises(SystemExit) as ended:
        main(["compare", *words, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert output in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_every_datapath_has_a_function_or_a_reason(function):
    cells = comparing(function, 64, 2).cells()
    pipeline = comparing_pipeline(function, 64, 2)
    having = {cell.datapath for cell in cells} | ({"swx"} if pipeline else set())
    assert not having & set(function.lacking)
    assert having | set(function.lacking) == {*datapaths()} - {"chain"}


def test_without_pipelines_no_pipeline_is_planned():
    assert comparing_pipeline(without(function_named("route"), {"swx"}), 64, 2) is None


def test_accesses_are_those_asked_for():
    function = function_named("accesses", 7)
    sockets = [cell for cell in comparing(function, 64, 2).cells() if cell.datapath == "af_xdp"]
    assert {cell.memory_accesses for cell in sockets} == {7}
    with laid_out(comparing(function, 64, 2), function) as plan:
        assert set(plan.files()) == {"compared.bpf.o", "accesses.toml"}
        assert b"memory_accesses = 7" in plan.files()["accesses.toml"]
    assert not plan.folder.exists()


@pytest.mark.root
def test_datapaths_are_measured_ranked_and_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("linerate.measure.campaign.functions.TRIAL_SECONDS", 0.05)
    out, figure = tmp_path / "out", tmp_path / "count.png"
    words = ["compare", "count", "--out", str(out), "--repetitions", "2", "--json"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--figure", str(figure)])
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    standings, absent = found["standings"], found["absent"]
    assert set(found["lacking"]) == {"netfilter", "nftables", "iptables"}
    veth = {"xdp_native", "xdp_generic", "tc", "af_xdp"}
    assert {each["datapath"] for each in standings} == veth | ({"swx"} - set(absent))

    ranked = [each["slower"] for each in standings if each["ranked"]]
    assert ranked == sorted(ranked)
    assert {each["datapath"] for each in standings if not each["ranked"]} <= {"swx"}
    assert standings[0]["slower"] == 1.0
    assert all(each["p50_us"] > 0 for each in standings if each["datapath"] in veth)
    assert len(read_runs([out])) >= 12
    assert figure.stat().st_size > 10_000
    assert len((tmp_path / "count.csv").read_text().splitlines()) == 1 + len(standings)


@pytest.mark.root
@pytest.mark.parametrize("name", ["drop-route", "drop-count"])
def test_rules_stand_beside_programs_that_drop(name, tmp_path, monkeypatch):
    monkeypatch.setattr("linerate.measure.campaign.functions.TRIAL_SECONDS", 0.05)
    found = compare(name, out=tmp_path / "out", repetitions=2, progress=False)
    names = {each.datapath for each in found.standings}
    programs = {"xdp_native", "xdp_generic", "tc", "af_xdp", "netfilter, prerouting"}
    by_rules = {"nftables, ingress", "nftables, prerouting", "iptables, prerouting"}
    having = {each for each in programs | by_rules if each.partition(",")[0] not in found.absent}
    assert names == having
    runs = read_runs([tmp_path / "out"])
    assert (runs["ended_drop"] > 0).all()
    assert not runs["ended_aborted"].fillna(0).any()


@pytest.mark.root
def test_a_datapath_without_its_tool_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("linerate.measure.campaign.functions.TRIAL_SECONDS", 0.05)
    other = replace(function_named("drop-route"), tools={"iptables": "no-such-tool"})
    found = compare(other, out=tmp_path / "out", repetitions=1, progress=False)
    assert found.absent["iptables"] == ("no-such-tool",)
    assert "Not here: iptables (needs no-such-tool)" in str(found)
    assert "iptables, prerouting" not in {each.datapath for each in found.standings}
