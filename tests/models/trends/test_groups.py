"""Levels of a series: found where they are planted, and not where there is none."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.models.trends.groups import EVIDENCE_BITS, group
from linerate.models.trends.noise import level_bits, scale_of, spread_of


def series(*levels, size=20, noise=0.005, seed=1):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(level, noise, size) for level in levels])


def bits(samples, starts, spread):
    """Bits of a message, as the page on trends writes them."""
    count, ends = len(samples), [*starts, len(samples)]
    total = 0.0
    for first, last in pairwise(ends):
        own = samples[first:last]
        squares = np.sum((own - own.mean()) ** 2)
        total += (
            EVIDENCE_BITS
            + np.log2(count)
            + np.log2(1 + 1 / min(spread, 0.01))
            + np.log2(len(own)) / 2
        )
        total += squares / (2 * spread**2 * np.log(2))
    return total


def test_each_planted_level_is_found():
    assert group(series(0.0, -0.03, 0.02)).starts == (0, 20, 40)


def test_no_way_to_part_a_short_series_has_a_shorter_message():
    samples = series(0.0, -0.02, size=5, noise=0.01)
    found = group(samples)
    ways = [(0,), *((0, a) for a in range(2, 9)),
            *((0, a, b) for a in range(2, 7) for b in range(a + 2, 9))]  # fmt: skip
    shortest = min(ways, key=lambda starts: bits(samples, starts, found.spread))
    assert found.starts == shortest


def test_what_a_step_saves_is_the_difference_of_the_messages():
    samples = series(0.0, -0.03)
    found = group(samples)
    named = np.log2(40) + np.log2(1 + 1 / found.spread if found.spread < 0.01 else 101)
    saved = level_bits(samples, 20, scale_of(samples)) - named - np.log2(20 * 20 / 40) / 2
    assert found.saved_bits == pytest.approx((saved,))
    # Noise whose size is not known beforehand says less than noise that is known.
    without = bits(samples, (0,), found.spread) - bits(samples, (0, 20), found.spread)
    assert 0.3 * without < saved < without


def test_one_slow_campaign_is_no_level():
    samples = series(0.0, size=30)
    samples[12] -= 0.05
    assert group(samples).starts == (0,)


def test_a_level_starts_only_where_it_may():
    samples = series(0.0, -0.05)
    may = np.arange(40) % 8 == 0
    starts = group(samples, may).starts
    assert len(starts) > 1
    assert all(start % 8 == 0 for start in starts)
    assert group(samples, np.zeros(40, dtype=bool)).starts == (0,)


@given(st.floats(-5, 5), st.integers(0, 2**32 - 1))
def test_the_unit_of_the_rates_does_not_matter(shift, seed):
    samples = series(0.0, -0.02, size=10, seed=seed)
    assert group(samples + shift).starts == group(samples).starts


def test_a_step_hardly_changes_the_spread():
    flat = series(0.0, 0.0, size=50)
    stepped = flat + np.where(np.arange(100) < 50, 0.0, 0.03)
    assert spread_of(stepped) == pytest.approx(spread_of(flat), rel=0.3)
    assert spread_of(flat) == pytest.approx(0.005, rel=0.2)


def test_without_noise_and_with_little_of_it_nothing_is_found_by_chance():
    assert group(np.zeros(30)).starts == (0,)
    found = [len(group(series(0.0, size=40, seed=seed)).starts) for seed in range(40)]
    assert sum(count > 1 for count in found) <= 1
