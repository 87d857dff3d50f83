"""What is assumed of constants outweighs no table, and keeps few cells from the absurd."""

import pytest

from linerate.models import Capacity, cells_of, training_of
from linerate.models.capacity.fit import fit_paths
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.prior import GUESSES
from linerate.models.runs.cells import Pair
from linerate.models.validation.held_out import held_out_error

from ..planted import lab_table

SOCKET = PathForm(law="usl", user_law="usl", stages=2, single_socket=True, by_byte=True)


def socket_training(accesses, *, queues=(1, 2), sizes=(64,), kernel_ns=1100.0):
    """A pipeline of kernel and user stage, without noise."""
    runs = lab_table(accesses=accesses, queues=queues, sizes=sizes, reloads=1)
    runs = runs[runs["datapath"] == "xdp_native"].assign(datapath="af_xdp", program="copy")
    truth = PathCost(pair=Pair("af_xdp", "copy"), base_ns=kernel_ns, user_ns=700.0, access_ns=4.0,
                     form=PathForm(stages=2, single_socket=True))  # fmt: skip
    mpps = path_limits((truth,), cells_of(runs.drop(columns="offered_mpps"))).predicted_mpps
    return training_of(runs.assign(forwarded_mpps=mpps))


def test_a_stage_that_no_run_tells_of_is_as_dear_as_the_other():
    """Where the user stage is always the slower, nothing bounds the kernel's from below."""
    training = socket_training((400, 800, 1600, 3200))
    (path,) = fit_paths(training, {Pair("af_xdp", "copy"): SOCKET}, shared_access=False)
    assert path.access_ns == pytest.approx(4.0, rel=0.02)
    assert 0.25 < path.base_ns / path.user_ns < 4.0


def test_what_is_assumed_gives_way_to_runs():
    """A kernel stage three times as dear as is assumed is found nevertheless."""
    training = socket_training((0, 1, 100, 200, 400, 800, 1600), kernel_ns=2800.0)
    (path,) = fit_paths(training, {Pair("af_xdp", "copy"): SOCKET}, shared_access=False)
    assert path.base_ns == pytest.approx(2800.0, rel=0.05)
    assert path.user_ns + 800 * path.access_ns == pytest.approx(3900.0, rel=0.05)


@pytest.mark.parametrize("name", GUESSES)
def test_a_fit_begins_within_the_bounds_and_not_on_them(name):
    assert 0.0 < GUESSES[name].start < GUESSES[name].highest


@pytest.mark.deep
def test_a_tenth_of_real_hardware_is_enough_for_the_rest(real_runs):
    runs = real_runs[real_runs["program"].isin(["map_lookup", "af_xdp_memcpy"])]
    error = held_out_error(Capacity, training_of(runs), by="sparse")
    assert error.median_percent <= 2.5
    assert error.mean_percent <= 5.0
