"""Turns of a test run: rounds that others disturbed are left out."""

from dataclasses import replace

import numpy as np
import pytest

from linerate.measure.objects.samples import (
    EMPTY,
    MIX,
    TESTED,
    YARDSTICK,
    Samples,
    agrees,
    beyond_ns,
    own_ratio,
)

ALONE_NS = {EMPTY: 75.0, YARDSTICK: 175.0, TESTED: 115.0}
RUNS, TURNS = 100, 200
RNG = np.random.default_rng(5)


def timed(slower, *, only=(EMPTY, YARDSTICK, TESTED)):
    """Samples of the mix: each round as many times as slow as it is planted to be."""
    return {
        (slot, MIX, 0): Samples(
            slot=slot, frame=MIX, runs=RUNS,
            ns=tuple(np.round(RUNS * ns * (slower if slot in only else 1.0 + 0.0 * slower))),
        )
        for slot, ns in ALONE_NS.items()
    }  # fmt: skip


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_others_for_some_of_the_rounds_change_nothing(share):
    slower = np.where(RNG.random(TURNS) < share, RNG.uniform(1.3, 1.6, TURNS), 1.0)
    assert beyond_ns(timed(slower), TESTED, MIX) == 40.0
    assert beyond_ns(timed(slower), YARDSTICK, MIX) == 100.0


def test_a_program_whose_own_time_varies_keeps_its_median():
    own = RNG.uniform(0.9, 1.5, TURNS)
    samples = timed(own, only=(TESTED,))
    taken_ns = np.asarray(samples[TESTED, MIX, 0].ns) / RUNS
    assert beyond_ns(samples, TESTED, MIX) == pytest.approx(np.median(taken_ns) - 75.0)


def test_a_machine_that_is_slow_all_the_time_has_the_time_it_shows():
    assert beyond_ns(timed(np.full(TURNS, 1.5)), TESTED, MIX) == pytest.approx(60.0, rel=0.01)


@pytest.mark.parametrize(("share", "alone"), [(0.0, True), (0.8, True), (1.0, False)])
def test_whether_others_left_some_of_it_alone_is_seen(share, alone):
    slower = np.where(RNG.random(TURNS) < share, RNG.uniform(1.3, 1.6, TURNS), 1.0)
    assert agrees(175.0 * slower) == alone


def test_interrupts_of_the_machine_itself_count_where_nobody_else_was_there():
    interrupted = np.where(np.arange(TURNS) % 10 == 0, 1.5, 1.0)
    samples = timed(interrupted)
    assert beyond_ns(samples, TESTED, MIX) == 40.0
    assert beyond_ns(samples, TESTED, MIX, alone=True) == pytest.approx(1.05 * 40.0, rel=1e-3)


def test_a_turn_in_which_somebody_had_the_core_counts_for_nobody():
    stalled = np.where(np.arange(TURNS) == 7, 300.0, 1.0)
    assert beyond_ns(timed(stalled), TESTED, MIX, alone=True) == 40.0


def test_few_short_turns_beside_long_ones_do_not_say_how_often_a_machine_interrupts_itself():
    samples = timed(np.ones(TURNS))
    samples |= {(slot, MIX, 0): replace(samples[slot, MIX, 0], ns=(*samples[slot, MIX, 0].ns[:4],
                                                                  7 * samples[slot, MIX, 0].ns[0]))
                for slot in (EMPTY, YARDSTICK)}  # fmt: skip
    samples[TESTED, MIX, 0] = replace(samples[TESTED, MIX, 0], ns=(10_000_000,) * 5)
    assert own_ratio(samples) < 1.01
