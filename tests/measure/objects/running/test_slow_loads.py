"""Loads of a program in slow moments of the host, planted."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from linerate.measure.objects import test_run as runs
from linerate.measure.objects.test_run import NOTHING, UnderTest
from linerate.measure.objects.traffic.udp_frames import of_size

TESTED = UnderTest(path=Path("any.bpf.o"), entry="any", settings=NOTHING)
LOAD = runs._Load(program_ns=50.0, yardstick_ns=90.0, empty_ns=72.0, together=(), by_frame_ns=(),
                  verdicts=(), others_ratio=0.0)  # fmt: skip


def loads_of(*empty_ns):
    return [replace(LOAD, empty_ns=ns, program_ns=50.0 * ns / 72.0) for ns in empty_ns]


def again(monkeypatch, loads, *empty_ns):
    """Load slow ones again, which then take so long; how many were."""
    taken = count()

    def load(*_):
        return loads_of(*empty_ns)[next(taken)]

    monkeypatch.setattr(runs, "_load", load)
    one = runs._InTurn(tested=TESTED, frames=of_size(64), plan=Path("plan"), loads=loads)
    runs._load_slow_again(one)
    return next(taken)


def test_the_two_slowest_loads_are_loaded_again_and_the_quicker_counts(monkeypatch):
    loads = loads_of(72.0, 95.0, 73.0, 101.0, 99.0)
    assert again(monkeypatch, loads, 74.0, 120.0) == 2
    assert [load.empty_ns for load in loads] == [72.0, 95.0, 73.0, 74.0, 99.0]


def test_a_load_that_is_not_slow_has_its_own_time(monkeypatch):
    loads = loads_of(72.0, 99.0, 73.0)
    assert again(monkeypatch, loads, 72.0) == 1
    assert loads[1].program_ns == pytest.approx(50.0)


def test_loads_that_are_not_slow_stay(monkeypatch):
    loads = loads_of(72.0, 77.0, 79.0)
    assert again(monkeypatch, loads) == 0
    assert [load.empty_ns for load in loads] == [72.0, 77.0, 79.0]
