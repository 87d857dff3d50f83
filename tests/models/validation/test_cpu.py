"""CPU shares of runs held out: utilisation where all is seen, and what ticks miss."""

import numpy as np
import pandas as pd
import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models.latency.sampled import fit_sampled
from linerate.models.validation.cpu import validate_cpu
from linerate.models.validation.folds import HoldOut, Split
from linerate.tables.runs import read_runs

from ..planted import ACCESS_NS, BASE_NS, lab_table


def shares(*, seen=lambda rho: rho):
    """Runs whose CPU share is what a sampler sees of their utilisation."""
    table = lab_table(queues=(1, 4), noise=0.0, sizes=(64, 512, 1500))
    table = table[table["datapath"] == "xdp_native"]
    service_ns = BASE_NS["xdp_native"] + ACCESS_NS * table["memory_accesses"]
    rho = np.minimum(1.0, table["offered_mpps"] * service_ns * 1e-3 / table["queues"])
    missed = table["offered_mpps"] / table["queues"] < 0.5
    return table.assign(cpu_busy_ratio=np.where(missed, seen(rho), rho))


def score(table):
    return scores(table)[0]


def scores(table, by: Split = "group"):
    how = HoldOut(by=by, folds=5, rng=np.random.default_rng(0))
    return validate_cpu(table, how).scores


def test_utilisation_is_the_share_where_nothing_is_missed():
    found = score(shares())
    assert found.utilisation_points < 0.5
    assert found.points < 2.0


def test_what_ticks_miss_is_learnt_from_other_groups():
    found = score(shares(seen=lambda rho: rho**3))
    assert found.points < 0.6 * found.utilisation_points


def test_a_curve_never_falls_and_stays_a_share():
    rng = np.random.default_rng(2)
    level = rng.uniform(0.0, 1.0, 200)
    curve = fit_sampled(level, np.clip(level**2 + 0.2 * rng.standard_normal(200), 0.0, 1.0))
    predicted = curve.at(np.linspace(-1.0, 2.0, 50))
    assert (np.diff(predicted) >= 0.0).all()
    assert 0.0 <= predicted.min() <= predicted.max() <= 1.0


def test_few_runs_teach_nothing():
    curve = fit_sampled(np.array([0.2, 0.4]), np.array([0.0, 0.1]))
    assert curve.at(np.array([0.3, 1.7])).tolist() == [0.3, 1.0]


def test_runs_without_cpu_are_refused():
    with pytest.raises(BadInputError, match="cpu_busy_ratio=none"):
        score(lab_table().assign(cpu_busy_ratio=np.nan))


def test_validate_prints_the_error_of_cpu_shares(tmp_path, capsys):
    shares().to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(tmp_path / "runs.csv"), "--of", "cpu"])
    assert ended.value.code == 0
    assert "xdp_native/map_lookup" in capsys.readouterr().out


def test_validating_something_else_is_refused(tmp_path, capsys):
    shares().to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(tmp_path / "runs.csv"), "--of", "colour"])
    assert ended.value.code == 2
    assert "of=colour: " in capsys.readouterr().err


def test_looking_for_work_is_a_share_of_idle_time_learnt_from_other_groups():
    """Seen in the serial mode: bursts of packets, each of which is looked for."""
    table = shares()
    rho = table["cpu_busy_ratio"]
    found = score(table.assign(cpu_busy_ratio=rho + 0.15 * (1.0 - rho)))
    assert found.points < 1.0
    assert found.utilisation_points > 3.0 * found.points


def test_the_runs_of_the_veth_lab_are_within_three_points(reference):
    found = scores(read_runs([reference("veth")]))
    assert all(score.points < 3.0 for score in found)
    assert found[0].points < 0.7 * found[0].utilisation_points


def test_runs_in_both_modes_are_all_scored_each_once(reference):
    both = [read_runs([reference(name)]) for name in ("veth", "veth-split")]
    runs = sum(scores(table)[0].runs for table in both)
    together = scores(pd.concat(both, ignore_index=True))
    assert together[0].runs == runs == sum(one.runs for one in together[1:])
    at_load = scores(both[1])[0].runs_by_latency
    assert together[0].runs_by_latency == at_load == sum(one.runs_by_latency
                                                         for one in together[1:])  # fmt: skip
    assert scores(pd.concat(both)) == together  # rows that two tables number alike


def test_runs_of_the_serial_mode_are_scored_by_what_those_with_latency_have_one_of(reference):
    found = scores(read_runs([reference("capeletti")]), by="queues")
    assert found[0].runs > 200
    assert found[0].runs_by_latency == 0
