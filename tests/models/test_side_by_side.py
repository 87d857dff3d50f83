"""What is computed in several processes, or on Dask, gives the numbers that it gives in one."""

import json
import os

import joblib
import numpy as np
import pytest
from distributed import Client
from typer.testing import CliRunner

import linerate as lr
from linerate.cli.app import app_for
from linerate.models.capacity.model import Capacity
from linerate.models.design.planned import plan_runs
from linerate.models.queueing.simulation import Station, Traffic, replicate, simulate_station
from linerate.models.runs.training import training_of
from linerate.models.side_by_side import side_by_side, workers

MODELS = ("log_ols", "log_wls", "capacity")
STATION = Station(service_time_ns=100.0, places=16)
TRAFFIC = Traffic(load_mpps=9.0, packets=2_000)


def answered(runs):
    """Errors held out, a plan, intervals by a bootstrap, and times of simulated packets."""
    native = runs[runs["datapath"] == "xdp_native"]
    found = lr.validate(native, models=MODELS, progress=False)
    plan = plan_runs(12, None, runs)
    seen = replicate(simulate_station, STATION, TRAFFIC, count=5, rng=np.random.default_rng(4))
    return {
        "scores": repr(found.table.to_dict("list")),
        "plan": plan.table.to_csv(),
        "spreads": plan.design.cell_after.tolist(),
        "intervals": [path.intervals for path in Capacity.fit(training_of(runs)).paths],
        "times": [run.time_ns.tolist() for run in seen],
    }


@pytest.fixture(scope="module")
def alone(lab_runs):
    return answered(lab_runs)


def test_each_path_has_intervals_and_each_replication_its_draws(alone):
    assert len(alone["intervals"]) > 1
    assert all(alone["intervals"])
    assert len({json.dumps(times) for times in alone["times"]}) == 5


@pytest.mark.parametrize("processes", [2, 3])
def test_the_number_of_processes_changes_no_number(lab_runs, alone, processes):
    with joblib.parallel_config(n_jobs=processes):
        assert repr(answered(lab_runs)) == repr(alone)


def test_dask_gives_the_same_numbers(lab_runs, alone):
    with (
        Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None),
        joblib.parallel_config(backend="dask"),
    ):
        assert repr(answered(lab_runs)) == repr(alone)


def test_what_works_beside_others_does_its_own_work_alone():
    with joblib.parallel_config(n_jobs=2):
        assert workers() == 2
        assert list(side_by_side(workers, [(), ()])) == [1, 1]
        assert os.getpid() not in side_by_side(os.getpid, [(), ()])


def test_a_plan_does_not_know_its_jobs(lab_runs, tmp_path):
    lab_runs.to_csv(tmp_path / "runs.csv")
    asked = ["plan", str(tmp_path / "runs.csv"), "--budget", "4", "--json"]
    one, two = (
        CliRunner().invoke(app_for(asked), [*asked, "--jobs", jobs]).stdout for jobs in ("1", "2")
    )
    assert json.loads(one)["cells"]
    assert one == two


@pytest.mark.deep  # as above, of what validates by another way
def test_latency_kinds_do_not_know_how_many_work(reference):
    runs = lr.read(reference("veth-split"))
    one = lr.validate(runs, of="latency", progress=False).to_dict()
    with joblib.parallel_config(n_jobs=2):
        two = lr.validate(runs, of="latency", progress=False).to_dict()
    assert repr(one) == repr(two)
