"""Constants that changed between two campaigns are found, and only those."""

import numpy as np
import pytest

from linerate.models.shifts import shifts

from .planted import lab_table

ADDED_NS = 12.0


def campaign(seed, added_ns=0.0):
    """Runs with noise of 1 % of their own; every packet of the native hook takes more."""
    runs = lab_table(queues=(1,), accesses=(0, 100, 400, 1600), sizes=(64,), reloads=8, noise=0.0)
    native = runs["datapath"] == "xdp_native"
    packet_ns = 1e3 / runs["forwarded_mpps"] + np.where(native, added_ns, 0.0)
    noise = np.random.default_rng(seed).lognormal(0.0, 0.01, len(runs))
    return runs.assign(
        link_gbps=np.inf, offered_mpps=np.inf, forwarded_mpps=noise * 1e3 / packet_ns
    )


@pytest.fixture(scope="module")
def found():
    """Give the shifts of a campaign whose native hook takes 12 ns more, by path and constant."""
    return {(one.datapath, one.constant): one
            for one in shifts(campaign(1), campaign(2, ADDED_NS))}  # fmt: skip


def test_the_constant_that_changed_is_named_with_how_much(found):
    base = found["xdp_native", "base_ns"]
    assert base.differs
    assert base.lower < ADDED_NS < base.upper
    assert base.upper - base.lower < ADDED_NS
    assert base.difference == pytest.approx(base.second - base.first)


def test_a_constant_that_did_not_change_has_0_in_its_interval(found):
    assert set(found) == {(path, name) for path in ("xdp_native", "xdp_generic")
                          for name in ("base_ns", "access_ns")}  # fmt: skip
    assert [key for key, one in found.items() if one.differs] == [("xdp_native", "base_ns")]


def test_a_path_that_one_campaign_lacks_is_left_out():
    one = campaign(1)
    native = one[one["datapath"] == "xdp_native"]
    assert {shift.datapath for shift in shifts(one, native)} == {"xdp_native"}
    assert {shift.datapath for shift in shifts(native, one)} == {"xdp_native"}


def test_too_few_cells_or_program_loads_have_no_shifts():
    runs = campaign(1)
    one_cell = runs[runs["memory_accesses"] == 0]
    few_loads = runs[runs["repetition"] <= 1]
    assert [shifts(runs, other) for other in (one_cell, few_loads)] == [(), ()]
    assert [shifts(other, runs) for other in (one_cell, few_loads)] == [(), ()]
