"""CPU shares as sampling sees them: learnt of each path, saved, and answered by ``predict``."""

import numpy as np
import pytest

from linerate.models import Capacity, training_of
from linerate.models.answers.prediction import predict_cell
from linerate.models.fitting import fit_models
from linerate.models.latency.shares import fit_shares, idle_share
from linerate.models.runs.cells import cells_of

from ..planted import cells_table, lab_table

SHARE = 0.3
"""Of their idle time that planted cores look for work."""


@pytest.fixture(scope="module")
def searching():
    """Runs whose cores look for work for a share of their idle time."""
    table = lab_table(queues=(1, 2), accesses=(0, 100, 400, 800), sizes=(64, 512, 1500), noise=0.0)
    training = training_of(table.assign(link_gbps=np.inf))
    served_mpps = Capacity.fit(training).limits(training.cells).service_mpps
    used = np.minimum(1.0, table["offered_mpps"] / served_mpps)
    return table.assign(cpu_busy_ratio=used + SHARE * (1.0 - used))


def test_a_table_without_shares_has_none():
    assert fit_shares(lab_table().assign(cpu_busy_ratio=np.nan)) is None


def test_idle_time_that_is_spent_looking_for_work_is_found():
    used = np.array([0.1, 0.4, 0.7, 1.0, np.nan])
    assert idle_share(used, used + 0.25 * (1.0 - used)) == pytest.approx(0.25)


@pytest.mark.deep
def test_predict_answers_with_what_sampling_would_see(searching):
    file = fit_models(searching, model="capacity").file
    asked = cells_table(memory_accesses=[100]).assign(link_gbps=10.0, offered_mpps=1.0)
    row = {str(name): value for name, value in asked.iloc[0].items()}
    used = 1.0 / file.service_mpps(asked)[0]
    load = predict_cell(file, row).load
    assert load is not None
    assert load.cpu_busy_ratio == pytest.approx(used + SHARE * (1.0 - used), abs=0.03)


def test_what_was_never_sampled_is_utilisation(searching):
    native = fit_shares(searching[searching["datapath"] == "xdp_native"])
    cells = cells_of(searching[searching["datapath"] == "xdp_generic"])
    assert native is not None
    shares = native.predict_cells(cells, np.full(len(cells), 1e3))
    assert (shares == np.minimum(1.0, np.minimum(cells.offered_mpps, cells.line_mpps) / 1e3)).all()


def test_a_law_says_what_was_learnt(searching):
    shares = fit_shares(searching)
    assert shares is not None
    assert set(shares.pairs) == set(training_of(searching).pairs_seen)
    assert "busy = rho + 0.3" in str(shares)
