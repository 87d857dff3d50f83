"""Floods of chains in tc lose packets half way: held against the kernel's rounds played through."""

from collections import deque

import numpy as np
import pandas as pd
import pytest

from linerate.models.chains.rounds import TICK_NS, flooded_ns, in_rounds
from linerate.models.chains.times import fit_chain_times, foretold_ns, loaded_chains
from linerate.models.latency.round_trips import kind_of

from .test_times import CELL

BACKLOG, POLLED, ROUNDS = 1000, 64, 10
SOURCE_NS, HOP_NS = 1000.0, 1200.0


class Core:
    """A core that the source of a chain has to itself, as Linux 6.18 has it poll and go on."""

    def __init__(self, steps_ns):
        self.steps_ns = steps_ns
        self.now_ns = self.delivered = 0.0
        self.coming, self.taken = deque(), deque()

    def enqueue(self, step):
        if len(self.coming) <= BACKLOG:
            self.coming.append(step)

    def round(self):
        for _ in range(POLLED):
            if not self.taken:
                self.taken, self.coming = self.coming, self.taken
            if not self.taken:
                return
            step = self.taken.popleft()
            self.now_ns += self.steps_ns[step]
            if step + 1 < len(self.steps_ns):
                self.enqueue(step + 1)
            else:
                self.delivered += 1

    def poll(self):
        self.now_ns += POLLED * SOURCE_NS
        for _ in range(POLLED):
            self.enqueue(0)
        began = self.now_ns // TICK_NS
        for _ in range(ROUNDS):
            self.round()
            done = not self.taken and not self.coming
            if done or self.now_ns // TICK_NS > began:
                return


def played_ns(works_ns, steps_a_hop):
    """Time of a packet that comes through, by what so many polls deliver."""
    steps_ns = np.full(steps_a_hop * (len(works_ns) + 1), HOP_NS / steps_a_hop)
    steps_ns[steps_a_hop - 1 : -1 : steps_a_hop] += works_ns
    core = Core(steps_ns)
    for _ in range(300):
        core.poll()
    began_ns, core.delivered = core.now_ns, 0
    for _ in range(1500):
        core.poll()
    return (core.now_ns - began_ns) / core.delivered


def answered_ns(works_ns, steps_a_hop):
    idle_ns = SOURCE_NS + HOP_NS * (len(works_ns) + 1)
    return flooded_ns(idle_ns, HOP_NS, works_ns, nsh_aware=steps_a_hop == 2)


@pytest.mark.parametrize(("functions", "steps_a_hop"), [(1, 1), (4, 1), (7, 1), (1, 2), (3, 2)])
def test_nothing_is_lost_of_short_chains(functions, steps_a_hop):
    works = [300.0] * functions
    alone_ns = SOURCE_NS + HOP_NS * (functions + 1) + sum(works)
    assert answered_ns(works, steps_a_hop) == pytest.approx(alone_ns)
    assert played_ns(works, steps_a_hop) == pytest.approx(alone_ns, rel=0.01)


@pytest.mark.parametrize(("functions", "steps_a_hop"), [(12, 1), (16, 1), (32, 1), (6, 2), (10, 2)])
def test_long_chains_lose_what_rounds_leave(functions, steps_a_hop):
    played = played_ns([0.0] * functions, steps_a_hop)
    alone_ns = SOURCE_NS + HOP_NS * (functions + 1)
    assert played > 1.3 * alone_ns
    assert answered_ns([0.0] * functions, steps_a_hop) == pytest.approx(played, rel=0.15)


def test_of_twenty_four_functions_a_flood_loses_less_than_is_answered():
    assert 1.0 < answered_ns([0.0] * 24, 1) / played_ns([0.0] * 24, 1) < 1.35


@pytest.mark.parametrize(
    "works", [[20_000.0] * 4, [50_000.0] * 4, [4000.0] * 8, [20_000.0] * 8, [0.0, 90_000.0]]
)
def test_ticks_end_rounds_of_long_functions(works):
    played = played_ns(works, 1)
    assert played > 1.1 * (SOURCE_NS + HOP_NS * (len(works) + 1) + sum(works))
    assert answered_ns(works, 1) == pytest.approx(played, rel=0.2)


def test_a_slow_function_costs_the_more_the_earlier_it_comes():
    works = [20_000.0] * 6
    first, last = ([*works[:place], 40_000.0, *works[place:]] for place in (0, 6))
    assert answered_ns(first, 1) > answered_ns(last, 1) > answered_ns([20_000.0] * 7, 1)


def test_longer_is_never_quicker():
    lengths = [answered_ns([0.0] * functions, 2) for functions in range(33)]
    works = [answered_ns([own_ns] * 4, 1) for own_ns in np.geomspace(1.0, 1e5, 40)]
    assert np.all(np.diff(lengths) > 0.0)
    assert np.all(np.diff(works) > 0.0)


@pytest.mark.parametrize("function_ns", [0.0, -50.0])
def test_a_line_that_falls_has_no_steps_that_take_time(function_ns):
    assert np.isfinite(flooded_ns(3000.0, function_ns, [0.0] * 20, nsh_aware=True))


def planted(lengths):
    """Runs of functions aware of NSH as they were planted: a line, and what a flood loses of it."""
    rows = []
    for length in lengths:
        packet_ns = answered_ns([0.0] * length, 2)
        rows += [CELL | {"chain_length": length, "nsh_aware": True, "frame_bytes": 64.0,
                         "repetition": repetition, "forwarded_mpps": 1e3 / packet_ns}
                 for repetition in range(3)]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_line_below_what_is_lost_is_found():
    times = fit_chain_times(planted((1, 2, 4, 8, 12)))
    assert times is not None
    (time,) = times.times
    assert time.packet_ns(8, 64) == pytest.approx(SOURCE_NS + 9 * HOP_NS, rel=1e-3)
    assert time.flooded_ns(64, [0.0] * 8) == pytest.approx(answered_ns([0.0] * 8, 2), rel=1e-2)
    assert time.carried_ns(64, [500.0] * 8) == pytest.approx(
        SOURCE_NS + 9 * HOP_NS + 4000.0, rel=1e-3
    )
    assert time.log_sd < 0.01


def test_long_chains_are_told_by_short_ones():
    ((kind, seen),) = loaded_chains(planted((1, 2, 3)))
    ((_, held),) = loaded_chains(planted((8, 16)))
    assert foretold_ns(kind, seen, held) == pytest.approx(held["packet_ns"], rel=1e-6)


@pytest.mark.parametrize(
    ("function", "topology", "carried"),
    [("tc", "direct", True), ("tc", "hub", False), ("af_xdp", "direct", False)],
)
def test_only_functions_in_tc_that_send_to_each_other_go_in_rounds(function, topology, carried):
    kind = kind_of({"chain_function": function, "chain_topology": topology})
    assert in_rounds(kind) is carried
