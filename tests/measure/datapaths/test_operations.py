"""Operations on the way of real frames: each costs time, and more where the caches end."""

import math
import os

import pytest

from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.trials.bench import Timing

pytestmark = pytest.mark.root
TIMING = Timing(warm_up_seconds=0.02, seconds=0.05)
TRIES = 6
"""Another campaign on these cores may slow any one trial; it tells nothing of the operations."""
IN_CACHE_BYTES, BEYOND_CACHE_BYTES = 64 * 1024, 64 * 1024 * 1024
MANY = {kind: min(1024, most) for kind, most in OPERATIONS_MAX.items()}


@pytest.fixture
def ns_of(cell_of):
    """Least time of a packet over generator, device and sink, with operations as told."""

    def measure(times=1, **changes):
        operations = tuple(changes.pop("operations", {}).items())
        cell = cell_of(program="operations", operations=operations, **changes)
        with open_bench(cell) as bench:
            trials = [bench.run_trial(cell.load, TIMING) for _ in range(times)]
        assert all(trial.forwarded_packets == trial.sent_packets for trial in trials)
        best_mpps = max(trial.forwarded_mpps for trial in trials)
        return 1e3 / best_mpps if best_mpps else math.nan  # nan: no claim holds, so try again

    return measure


def sooner_or_later(claim):
    """Whether a claim that noise may hide is seen within some tries."""
    return any(claim() for _ in range(TRIES))


@pytest.mark.sampled
@pytest.mark.exclusive
@pytest.mark.parametrize("kind", OPERATIONS_MAX)
def test_every_kind_takes_time_and_loses_no_frame(ns_of, kind):
    assert sooner_or_later(lambda: ns_of(operations={kind: MANY[kind]}) > 1.05 * ns_of())


@pytest.mark.exclusive
def test_generic_hook_executes_every_kind(ns_of):
    mix = dict.fromkeys(OPERATIONS_MAX, 3)
    assert sooner_or_later(
        lambda: (
            ns_of(datapath="xdp_generic", operations=mix, working_set_bytes=IN_CACHE_BYTES)
            > ns_of(datapath="xdp_generic")
        )
    )


@pytest.mark.exclusive
@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["array_lookup", "hash_lookup", "lpm_lookup"])
def test_lookups_cost_more_where_the_caches_end(ns_of, kind):
    def missed_costs_more():
        hit, missed = (
            ns_of(times=2, operations={kind: 256}, working_set_bytes=bytes_)
            for bytes_ in (IN_CACHE_BYTES, BEYOND_CACHE_BYTES)
        )
        return missed > 1.2 * hit

    assert sooner_or_later(missed_costs_more)


@pytest.mark.exclusive
def test_four_times_the_lookups_take_about_four_times_as_long(ns_of):
    def grows_in_proportion():
        bare, some, many = (ns_of(operations={"hash_lookup": n}) for n in (1, 257, 1025))
        return 2.0 < (many - bare) / (some - bare) < 8.0

    assert sooner_or_later(grows_in_proportion)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two queues need two cores")
def test_each_queue_has_entries_of_its_own_and_finds_them(ns_of):
    looked_up = {kind: 5 for kind in OPERATIONS_MAX if kind.endswith("_lookup")}

    def both_queues_return_all():
        # A frame whose entry is absent is dropped.
        return ns_of(queues=2, operations=looked_up, working_set_bytes=4096) > 0

    assert sooner_or_later(both_queues_return_all)
