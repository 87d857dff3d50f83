"""When a trial tells what a packet takes on a core alone."""

import math
from typing import NamedTuple

import pytest

from linerate.measure.collectors import alone
from linerate.measure.collectors.alone import SECONDS_MAX, SECONDS_MIN, TRIES, time_alone
from linerate.stretches import STEEPEST

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
    assert math.isnan(found_ns)
    assert asked == [SECONDS_MIN] * TRIES


def test_others_who_never_leave_make_all_stretches_alike(monkeypatch):
    """Beside the first trial they are at every look, beside the second at half of them."""
    looks = [math.exp(STEEPEST * share) for share in (1.0, 0.5)]
    monkeypatch.setattr(alone, "sent_beside", lambda _, send: (send(), looks.pop(0)))
    found_ns, asked = timed([300.0] * 40, [200.0] * 20 + [300.0] * 20)
    assert found_ns == pytest.approx(200.0)
    assert len(asked) == 2


def test_a_trial_too_short_for_stretches_is_made_longer_up_to_a_bound():
    found_ns, asked = timed([], [], ALONE_NS)
    assert found_ns == pytest.approx(200.0)
    assert asked == pytest.approx([SECONDS_MIN, 4 * SECONDS_MIN, 16 * SECONDS_MIN])
    assert timed([], round_ns=1e9)[1] == [SECONDS_MAX] * TRIES
