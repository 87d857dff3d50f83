"""What a user stage's core and the frames in its ring cost, and that a fit finds it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from linerate.models import Pair, cells_of, training_of
from linerate.models.capacity.fit import fit_paths
from linerate.models.capacity.form import TIE, held_out_error, of_the_core
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits

from ..planted import cells_table, lab_table

COPY = Pair("af_xdp", "copy")
TAPERED = PathForm(stages=2, single_socket=True, crowded=True, by_byte=True, user_law="tapered")


def pipeline(form, coefficients, *, user_ns=500.0, byte_ns=0.6, crowding=0.5):
    return PathCost(pair=COPY, form=form, base_ns=1100.0, user_ns=user_ns, access_ns=4.0,
                    byte_ns=byte_ns, crowding=crowding, user_coefficients=coefficients)  # fmt: skip


@cache
def flooded():
    """One run of each cell of one socket, without rates."""
    runs = lab_table(queues=(1, 2, 4, 8), accesses=(0, 100, 200, 400, 800, 1600, 6400))
    one = (runs["datapath"] == "xdp_native") & (runs["repetition"] == 1)
    return runs[one].assign(datapath="af_xdp", program="copy", sockets="queue_0")


def planted(path, runs):
    cells = training_of(runs).cells.of_pairs([COPY])
    return runs.assign(forwarded_mpps=path_limits((path,), cells).predicted_mpps)


def errors(truth):
    """Held-out error of each form that a pipeline is refined by, on runs of a path."""
    medians = training_of(planted(truth, flooded())).medians()
    forms = [TAPERED, *of_the_core(TAPERED)]
    return {(form.user_law, form.by_byte): held_out_error(medians, form) for form in forms}


def service_ns(path, **factors):
    table = cells_table(datapath="af_xdp", program="copy", link_gbps=1000.0, **factors)
    return 1e3 / path_limits((path,), cells_of(table)).service_mpps


def test_a_part_of_what_slows_a_user_thread_is_there_beside_an_idle_kernel_stage():
    form = PathForm(stages=2, single_socket=True, user_law="clocked")
    path = pipeline(form, (0.5, 1.0, 0.4), byte_ns=0.0, crowding=0.0)
    busy, idle = service_ns(path, queues=2, memory_accesses=1000, offered_mpps=[100.0, 1e-6])
    assert busy == pytest.approx(1.5 * 4500)
    assert idle == pytest.approx((1 + 0.4 * 0.5) * 4500, rel=1e-3)
    assert "(0.4 + 0.6 * kernel's busy share)" in str(path)


def test_each_doubling_of_a_frame_costs_as_much_as_its_first_64_bytes():
    form = PathForm(stages=2, single_socket=True, by_byte="doubling")
    path = pipeline(form, (), crowding=0.0)
    assert service_ns(path, memory_accesses=0, frame_bytes=[64, 128, 256, 1024]) == pytest.approx(
        1100 + 0.6 * 64 * np.array([1, 2, 3, 5])
    )
    assert "64 log2(bytes / 32)" in str(path)


def test_held_out_groups_tell_what_a_core_does():
    form = replace(TAPERED, by_byte="doubling", user_law="clocked")
    found = errors(pipeline(form, (0.002, 2.5, 0.6)))
    right = found.pop(("clocked", "doubling"))
    assert right < 0.5 * min(found.values())


def test_held_out_groups_tell_a_cost_by_byte_from_one_by_doubling():
    found = errors(pipeline(TAPERED, (0.002, 2.5), byte_ns=0.15))
    assert found["tapered", True] < 0.5 * found["tapered", "doubling"]
    # One more constant that is 0 buys nothing: the simpler form stays.
    assert found["tapered", True] < (1.0 + TIE) * found["clocked", True]


def test_a_fit_is_not_caught_where_a_ring_costs_nothing():
    rng = np.random.default_rng(9)
    runs = flooded()
    seen = runs.groupby(["queues", "memory_accesses"]).filter(lambda _: rng.random() < 0.6)
    truth = pipeline(TAPERED, (0.002, 2.5), user_ns=300.0, byte_ns=0.15, crowding=0.7)
    rates = planted(truth, seen)
    noise = np.exp(0.03 * rng.standard_normal(len(rates)))
    rates["forwarded_mpps"] = np.minimum(rates["forwarded_mpps"] * noise, rates["offered_mpps"])
    (found,) = fit_paths(training_of(rates), {COPY: TAPERED}, shared_access=False)
    assert found.crowding == pytest.approx(0.7, abs=0.15)
    assert found.user_ns == pytest.approx(300, rel=0.3)
