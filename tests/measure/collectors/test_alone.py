"""When a trial tells what a packet takes on a core alone."""

from math import isnan
from typing import NamedTuple

import pytest

from linerate.measure.collectors.alone import SECONDS_MAX, SECONDS_MIN, TRIES, time_alone

ALONE_NS, BESIDE_NS = [200.0] * 40, [250.0 + 2.0 * place for place in range(40)]


class Report(NamedTuple):
    stretches_ns: tuple[tuple[float, ...], ...]
    began_ns: int = 0
    duration_ns: int = 1


def timed(*trials, round_ns=100.0):
    """Time trials of which the quantiles are given, and say how long each was asked to be."""
    asked, left = [], list(trials)

    def send(seconds):
        asked.append(seconds)
        return Report((tuple(left.pop(0) if len(left) > 1 else left[0]),))

    return time_alone(None, send, round_ns), asked


def test_the_first_trial_that_others_left_alone_tells():
    found_ns, asked = timed(BESIDE_NS, ALONE_NS, BESIDE_NS)
    assert found_ns == pytest.approx(200.0)
    assert len(asked) == 2


def test_without_any_nothing_is_said():
    found_ns, asked = timed(BESIDE_NS)
    assert isnan(found_ns)
    assert asked == [SECONDS_MIN] * TRIES


def test_a_trial_too_short_for_stretches_is_made_longer_up_to_a_bound():
    found_ns, asked = timed([], [], ALONE_NS)
    assert found_ns == pytest.approx(200.0)
    assert asked == pytest.approx([SECONDS_MIN, 4 * SECONDS_MIN, 16 * SECONDS_MIN])
    assert timed([], round_ns=1e9)[1] == [SECONDS_MAX] * TRIES
