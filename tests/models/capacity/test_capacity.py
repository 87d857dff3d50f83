"""Limits, forms and constants of the physical model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.models import Capacity, Pair, cells_of, training_of
from linerate.models.capacity.packet_time import PathForm, crowded_ns
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.scaling import COEFFICIENTS, LAWS, growth, usl_peak_queues

from ..planted import cells_table, lab_table

NATIVE = Pair("xdp_native", "map_lookup")


def path(**changes):
    usual = {"pair": NATIVE, "form": PathForm(), "base_ns": 100.0, "access_ns": 2.0}
    return PathCost(**(usual | changes))


def limits(cost, **factors):
    table = cells_table(datapath=cost.pair.datapath, program=cost.pair.program, **factors)
    return path_limits((cost,), cells_of(table))


def test_capacity_is_the_smallest_limit_and_bears_its_name():
    predicted = limits(path(), memory_accesses=[0, 0, 450], queues=[1, 2, 1])
    assert predicted.predicted_mpps == pytest.approx([10.0, 10e3 / 84 / 8, 1.0])
    assert predicted.bottleneck.tolist() == ["service", "line", "service"]


def test_contention_leaves_the_programs_own_work_alone():
    cost = path(form=PathForm(law="power"), coefficients=(1.0,))
    one, two = limits(cost, memory_accesses=500, queues=[1, 2]).service_mpps
    assert one == pytest.approx(1e3 / 1100)
    assert two == pytest.approx(2e3 / 1200)


def test_one_socket_returns_one_queues_share():
    cost = path(pair=Pair("af_xdp", "copy"), form=PathForm(single_socket=True, stages=2),
                user_ns=50.0)  # fmt: skip
    predicted = limits(cost, memory_accesses=[0, 0, 1000], queues=[1, 8, 1])
    assert predicted.predicted_mpps == pytest.approx([10.0, 10e3 / 84 / 8 / 8, 1e3 / 2050])
    assert predicted.bottleneck.tolist() == ["kernel_stage", "socket", "user_stage"]


def test_a_user_thread_short_of_its_core_is_slowed_as_a_whole():
    cost = path(pair=Pair("af_xdp", "copy"), user_ns=50.0, user_coefficients=(0.5,),
                form=PathForm(single_socket=True, stages=2, user_law="amdahl"))  # fmt: skip
    one, two = limits(cost, memory_accesses=1000, queues=[1, 2], link_gbps=40.0).service_mpps
    assert one == pytest.approx(1e3 / 2050)
    assert two == pytest.approx(1e3 / (1.5 * 2050))


def test_a_user_thread_is_slowed_only_while_its_kernel_stage_works():
    cost = path(pair=Pair("af_xdp", "copy"), user_ns=50.0, user_coefficients=(0.5,),
                form=PathForm(single_socket=True, stages=2, user_law="amdahl"))  # fmt: skip
    half, small = limits(
        cost, memory_accesses=1000, queues=2, offered_mpps=[10.0, 1e-3]
    ).service_mpps
    assert half == pytest.approx(1e3 / (1.25 * 2050))
    assert small == pytest.approx(1e3 / 2050, rel=1e-3)


@given(st.floats(10, 1e4), st.floats(10, 1e5), st.floats(0, 1))
def test_a_full_ring_costs_the_share_of_packets_that_find_it_full(kernel, user, crowding):
    (time_ns,) = crowded_ns(np.array([kernel]), np.array([user]), crowding)
    assert time_ns >= max(kernel, user) * (1 - 1e-9)
    full = max(1.0 - kernel / time_ns, 0.0)
    if user > kernel:
        assert time_ns == pytest.approx(user + crowding * kernel * full, rel=1e-6)
    else:
        assert time_ns == kernel


@given(st.sampled_from(LAWS), st.floats(0, 2), st.floats(0, 2))
def test_every_law_starts_at_one_and_never_falls(law, first, second):
    coefficients = (first, second)[: len(COEFFICIENTS[law])]
    grown = growth(law, np.arange(1, 65), coefficients)
    assert grown[0] == 1.0
    assert (np.diff(grown) >= 0.0).all()


def test_a_user_thread_may_be_left_alone_until_the_last_queue():
    grown = growth("tapered", [2, 4, 8], (0.0004, 3.5))
    assert grown == pytest.approx([1.0, 1.02, 1.36], abs=0.01)


@given(st.floats(0, 3), st.floats(0, 1))
def test_tapered_growth_lies_between_a_step_and_amdahls_law(sigma, taper):
    queues = np.arange(1, 65)
    grown = growth("tapered", queues, (sigma, taper))
    assert (grown <= growth("amdahl", queues, (sigma,)) + 1e-9).all()
    assert (grown[1:] >= 1.0 + sigma - 1e-9).all()


def test_usl_throughput_peaks_where_gunther_says():
    queues = np.arange(1.0, 200.0)
    throughput = queues / growth("usl", queues, (0.05, 0.001))
    assert queues[throughput.argmax()] == pytest.approx(usl_peak_queues(0.05, 0.001), abs=1)


@given(
    st.floats(1, 1e4), st.floats(0.01, 100), st.integers(0, 10**5), st.integers(1, 64),
    st.integers(64, 1518),
)  # fmt: skip
def test_no_cell_exceeds_line_rate(base_ns, access_ns, accesses, queues, size):
    predicted = limits(path(base_ns=base_ns, access_ns=access_ns), memory_accesses=[accesses],
                  queues=queues, frame_bytes=size)  # fmt: skip
    assert 0.0 < predicted.predicted_mpps[0] <= 1e4 / (8 * (size + 20)) * (1 + 1e-12)


def test_one_queue_count_holds_scaling_at_linear_and_says_so():
    model = Capacity.fit(training_of(lab_table(queues=(1,))))
    assert all(path.form.law == "linear" for path in model.paths)
    assert any("scaling is not identifiable" in note for note in model.notes)


def test_runs_all_at_line_rate_only_bound_the_service_time():
    model = Capacity.fit(training_of(lab_table(sizes=(1500,), accesses=(0, 1, 100))))
    assert all(path.bounded for path in model.paths)
    assert "upper bound" in str(model)
    assert any("only bounded" in note for note in model.notes)
    cells = cells_of(cells_table(frame_bytes=[1500], memory_accesses=50))
    assert model.limits(cells).bottleneck.tolist() == ["line"]


def test_one_access_count_leaves_the_cost_of_an_access_open_and_says_so():
    model = Capacity.fit(training_of(lab_table(accesses=(400,))))
    assert any("one access count only" in note for note in model.notes)
    assert all(path.access_ns == 0.0 for path in model.paths)


def socket_table(service_mpps, *, queues=(1, 2, 4)):
    """Runs of an AF_XDP program by a law of (queues, accesses, line rate of the cell)."""
    runs = lab_table(queues=queues)
    runs = runs[runs["datapath"] == "xdp_native"].assign(datapath="af_xdp", program="copy")
    effect = runs.groupby(["queues", "memory_accesses", "repetition"]).ngroup().to_numpy()
    effect = np.exp(0.01 * np.random.default_rng(2).standard_normal(effect.max() + 1))[effect]
    mpps = service_mpps(runs["queues"], runs["memory_accesses"], runs["offered_mpps"])
    return runs.assign(forwarded_mpps=np.minimum(mpps * effect, runs["offered_mpps"]))


def turns(queues, accesses, _line):
    return queues * 1e3 / (1500.0 + 0.25 * accesses)


def one_thread(queues, accesses, line):
    return np.minimum(line / queues, 1e3 / np.maximum(1100.0, 700.0 + 4.0 * accesses))


def test_sockets_that_take_turns_are_told_from_one_that_returns_a_share():
    (own,) = Capacity.fit(training_of(socket_table(turns))).paths
    assert not own.form.single_socket
    assert own.base_ns == pytest.approx(1500, rel=0.02)
    assert own.access_ns == pytest.approx(0.25, rel=0.03)
    (one,) = Capacity.fit(training_of(socket_table(one_thread))).paths
    assert one.form.single_socket
    assert one.form.stages == 2
    assert (one.base_ns, one.user_ns) == pytest.approx((1100, 700), rel=0.03)


def test_a_table_that_names_its_sockets_is_believed():
    runs = socket_table(turns, queues=(1,))
    predicted = {
        name: Capacity.fit(training_of(runs.assign(sockets=name))).paths[0].form.single_socket
        for name in ("per_queue", "queue_0")
    }
    assert predicted == {"per_queue": False, "queue_0": True}


def test_one_queue_does_not_tell_whose_the_sockets_are_and_that_is_said():
    model = Capacity.fit(training_of(socket_table(turns, queues=(1,))))
    assert any("whether each queue has its own socket" in note for note in model.notes)
    assert model.paths[0].form.single_socket


def test_too_few_cells_are_refused():
    runs = lab_table(queues=(1,), accesses=(100, 1600), sizes=(64,))
    with pytest.raises(BadInputError, match="too few of xdp_native/map_lookup"):
        Capacity.fit(training_of(runs))


def test_line_limited_runs_do_not_pull_at_the_service_time():
    full = Capacity.fit(training_of(lab_table(noise=0.0)))
    slow = Capacity.fit(training_of(lab_table(noise=0.0, sizes=(64, 128))))
    for one, other in zip(full.paths, slow.paths, strict=True):
        assert one.base_ns == pytest.approx(other.base_ns, rel=1e-3)


def test_a_plateau_below_line_rate_is_the_nics():
    runs = lab_table(queues=(1, 2, 4), accesses=(0, 1, 2, 5, 10, 100, 400), noise=0.0)
    capped = runs.assign(forwarded_mpps=runs["forwarded_mpps"].clip(upper=9.0))
    model = Capacity.fit(training_of(capped))
    assert model.nic_cap_mpps == pytest.approx(9.0)
    assert Capacity.fit(training_of(runs)).nic_cap_mpps is None
