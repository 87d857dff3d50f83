"""Intervals of a fit's constants: they hold the planted ones as often as they say."""

import numpy as np
import pytest

from linerate.models import Capacity, Pair, training_of
from linerate.models.capacity import error
from linerate.models.capacity.error import with_intervals
from linerate.models.capacity.fit import fit_paths
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.prior import GUESSES

from ..planted import ACCESS_NS, BASE_NS, lab_table

NATIVE = Pair("xdp_native", "map_lookup")
LOAD_SPREAD = 0.05


def reloaded(seed, spread=LOAD_SPREAD, accesses=(0, 50, 100, 200, 400, 800)):
    """Native runs on one queue, far below line rate; each load has a random effect of its own."""
    table = lab_table(queues=(1,), accesses=accesses, noise=0.0, reloads=3, sizes=(64, 128))
    table = table[table["datapath"] == "xdp_native"].assign(link_gbps=100.0, offered_mpps=np.inf)
    load = table.groupby(["memory_accesses", "repetition"]).ngroup().to_numpy()
    drawn = np.exp(spread * np.random.default_rng(seed).standard_normal(load.max() + 1))
    service = 1e3 / (BASE_NS["xdp_native"] + ACCESS_NS * table["memory_accesses"])
    return training_of(table.assign(forwarded_mpps=service * drawn[load]))


def intervals(training):
    return with_intervals(
        fit_paths(training, {NATIVE: PathForm()}, shared_access=False), training, np.inf
    )[0].intervals


@pytest.mark.deep
def test_intervals_hold_the_planted_constants_about_nine_times_in_ten():
    planted = {"base_ns": BASE_NS["xdp_native"], "access_ns": ACCESS_NS}
    held = []
    for seed in range(80):
        found = intervals(reloaded(seed))
        held += [low <= planted[name] <= high for name, (low, high) in found.items()]
    assert 0.82 <= np.mean(held) <= 0.97


def test_more_loads_make_narrower_intervals():
    few = intervals(reloaded(1, accesses=(0, 100, 400)))
    many = intervals(reloaded(1, accesses=tuple(range(0, 801, 20))))
    for name, (low, high) in many.items():
        assert high - low < few[name][1] - few[name][0]


def test_runs_without_random_effects_leave_nothing_open():
    for low, high in intervals(reloaded(1, spread=0.0)).values():
        assert high / low == pytest.approx(1.0, abs=1e-4)


def test_the_same_runs_give_the_same_intervals(lab_runs):
    training = training_of(lab_runs)
    first, again = Capacity.fit(training), Capacity.fit(training)
    assert [path.intervals for path in first.paths] == [path.intervals for path in again.paths]


def test_intervals_of_many_loads_are_those_of_loads_drawn_one_by_one(monkeypatch):
    training = reloaded(2, accesses=tuple(range(0, 801, 10)))
    one_by_one = intervals(training)
    monkeypatch.setattr(error, "LOADS_DRAWN_MAX", 10)
    for name, (low, high) in intervals(training).items():
        drawn_low, drawn_high = one_by_one[name]
        width = drawn_high - drawn_low
        assert abs(low - drawn_low) < 0.1 * width
        assert abs(high - drawn_high) < 0.1 * width


def test_intervals_of_constants_keep_to_the_bounds_of_the_fit():
    """Also where loads differ so much that nothing is known of how queues share."""
    table = lab_table(accesses=(0, 100), sizes=(64,), noise=0.4, queues=(1, 2, 3, 4))
    training = training_of(table[table["datapath"] == "xdp_generic"].assign(
        link_gbps=100.0, offered_mpps=np.inf))  # fmt: skip
    form = {Pair("xdp_generic", "map_lookup"): PathForm(law="tapered")}
    paths = fit_paths(training, form, shared_access=False)
    found = with_intervals(paths, training, np.inf)[0].intervals
    for name in ("sigma", "taper"):
        low, high = found[name]
        assert 0.0 <= low < high <= GUESSES[name].highest
