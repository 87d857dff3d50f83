"""Models that are validated in several processes, or on Dask, score what they score in one."""

import joblib
import pytest
from distributed import Client

import linerate as lr

MODELS = ("log_ols", "log_wls", "capacity")


def scored(runs):
    found = lr.validate(runs, models=MODELS, progress=False)
    return found.table.to_dict("list")


@pytest.fixture(scope="module")
def runs(lab_runs):
    return lab_runs[lab_runs["datapath"] == "xdp_native"]


@pytest.fixture(scope="module")
def alone(runs):
    return scored(runs)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_processes_changes_no_number(runs, alone, workers):
    with joblib.parallel_config(n_jobs=workers):
        assert repr(scored(runs)) == repr(alone)


def test_dask_gives_the_same_numbers(runs, alone):
    with (
        Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None),
        joblib.parallel_config(backend="dask"),
    ):
        assert repr(scored(runs)) == repr(alone)


@pytest.mark.deep  # as above, of what validates by another way
def test_latency_kinds_do_not_know_how_many_work(reference):
    runs = lr.read(reference("veth-split"))
    one = lr.validate(runs, of="latency", progress=False).to_dict()
    with joblib.parallel_config(n_jobs=2):
        two = lr.validate(runs, of="latency", progress=False).to_dict()
    assert repr(one) == repr(two)
