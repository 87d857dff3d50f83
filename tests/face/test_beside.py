"""Runs of users' objects beside what was predicted of them."""

import shutil
import subprocess
from dataclasses import replace

import pandas as pd
import pytest

from linerate.cli.lab.beside import HOW, NOT_ASKED, print_beside
from linerate.face.fits.beside import beside_predictions
from linerate.face.fits.kept import keep_predicted, kept_of
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.objects.inputs import read_inputs
from linerate.measure.objects.calibrating.own_box import state_folder
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.units import line_rate_mpps

from ..measure.objects.conftest import INCLUDE
from ..models.objects.planted import asked, planted_box, times

SIZES = (64, 512, 1518)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def mine(repository, tmp_path):
    """Return the README's campaign, its program compiled."""
    folder = tmp_path / "mine"
    shutil.copytree(repository / "bpf/examples/first", folder)
    source = folder / "drop_ports.bpf.c"
    subprocess.run(["clang", "-O2", "-g", "-target", "bpf", INCLUDE, "-c", source, "-o",
                    source.with_suffix(".o")], check=True)  # fmt: skip
    return read_campaign(folder / "campaign.toml")


def inputs_of(plan):
    return [read_inputs(cell, plan.folder) for cell in plan.campaign.cells()]


def under_test(inputs):
    return UnderTest(path=inputs.path, entry=inputs.entry, settings=inputs.settings, cores=2)


def frames_of(inputs):
    assert inputs.frames is not None
    return inputs.frames


def rate(beside):
    assert beside.predicted is not None
    return beside.predicted.predicted_mpps


def predict(plan, program_ns=120.0):
    """Keep 150 ns and more a packet of each cell: 6.6 Mpps of 64 B."""
    for inputs in inputs_of(plan):
        keep_predicted(under_test(inputs), frames_of(inputs), times(program_ns, drop=1.0),
                       planted_box(), asked())  # fmt: skip


def measured(plan, *mpps):
    """Build the runs of three loads of each cell at these rates."""
    rows = [
        {"run_id": f"c{index:04d}-r{load}", "verdict": "valid", "forwarded_mpps": rate * factor,
         "frame_bytes": float(cell.load.frame_bytes), "ended_drop": 90, "ended_pass": 10}
        for index, (cell, rate) in enumerate(zip(plan.campaign.cells(), mpps, strict=True))
        for load, factor in enumerate((0.98, 1.0, 1.04), start=1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def line(size):
    return float(line_rate_mpps(10.0, size))


def test_frames_of_fits_are_those_that_a_campaign_sends(mine):
    """So one prediction is found by both."""
    assert [each.frames for each in inputs_of(mine)] == [of_size(size) for size in SIZES]


def test_what_was_predicted_stands_beside_what_was_measured(mine):
    predict(mine)
    small, middle, large = beside_predictions(mine, measured(mine, 6.5, line(512), 0.5))
    assert (small.median_mpps, small.runs) == (pytest.approx(6.5), 3)
    assert (small.smallest_mpps, small.largest_mpps) == pytest.approx((6.37, 6.76))
    assert rate(small) == pytest.approx(1e3 / 150.64, rel=1e-3)
    assert small.error == pytest.approx(1e3 / 150.64 / 6.5 - 1, abs=1e-3)
    assert small.inside
    assert small.ends == (("drop", 0.9), ("pass", 0.1))
    assert middle.at_line_rate
    assert rate(middle) == pytest.approx(line(512))
    assert not large.at_line_rate
    assert not large.inside, "0.81 Mpps were predicted, and 0.5 came"


def test_of_another_object_traffic_or_setting_nothing_was_predicted(mine):
    predict(mine)
    (first, *_), known = inputs_of(mine), of_size(64)
    tested = under_test(first)
    kept = kept_of(tested, known)
    assert kept is not None
    assert kept.rates.keys() == {1, 2}
    assert kept_of(tested, of_size(65)) is None
    assert kept_of(replace(tested, datapath="xdp_generic"), known) is None
    assert kept_of(replace(tested, settings=replace(tested.settings, lines=())), known) is None
    with first.path.open("ab") as file:
        file.write(b"\0")
    assert kept_of(tested, known) is None


def test_without_a_prediction_the_measured_rates_stand_alone(mine, capsys):
    own = beside_predictions(mine, measured(mine, 6.5, 2.0, 0.5))
    assert [(each.predicted, each.error, each.inside) for each in own] == [(None, None, None)] * 3
    print_beside(own)
    assert NOT_ASKED in " ".join(capsys.readouterr().out.split())


def test_the_columns_are_aligned_and_whole(mine, capsys):
    predict(mine)
    print_beside(beside_predictions(mine, measured(mine, 6.5, line(512), 0.5)))
    title, header, *rows, how = capsys.readouterr().out.splitlines()
    assert title == "drop_ports.bpf.o with drop_ports.toml on xdp_native:"
    assert how == HOW
    assert {row.index("drop 90%, pass 10%") for row in rows} == {header.index("ends in")}
    assert ["line rate" in row for row in rows] == [False, True, False]
    assert ["outside" in row for row in rows] == [False, False, True]


def test_where_others_used_the_cores_rates_are_those_without_them_and_what_was_counted_is_said(
    mine, capsys
):
    """As predictions are; a rate that the link limits is nobody's."""
    predict(mine)
    runs = measured(mine, 5.0, line(512), 0.5)
    small = runs["frame_bytes"].eq(64.0)
    own = beside_predictions(mine, runs.assign(unshared_mpps=runs["forwarded_mpps"].where(
        ~small, 6.5)))  # fmt: skip
    assert (own[0].median_mpps, own[0].counted_mpps) == pytest.approx((6.5, 5.0))
    assert own[0].inside
    print_beside(own)
    said = " ".join(capsys.readouterr().out.split())
    assert "others used them, too, and what was counted is less: 5 of 64 B." in said


def test_a_spoiled_or_unwritable_prediction_is_none(mine, monkeypatch, tmp_path):
    predict(mine)
    (first, *_) = inputs_of(mine)
    for path in (state_folder() / "predicted").iterdir():
        path.write_text("{")
    assert kept_of(under_test(first), frames_of(first)) is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    predict(mine)
    assert kept_of(under_test(first), frames_of(first)) is None


def test_runs_that_are_invalid_and_campaigns_of_none_count_for_nothing(mine):
    runs = measured(mine, 6.5, 2.0, 0.5).assign(verdict="invalid")
    assert beside_predictions(mine, runs) == ()
    assert beside_predictions(mine, runs.iloc[:0]) == ()
