"""Noise with long tails and skew: seldom a level, and no cover for one."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from linerate.models.trends.groups import group
from linerate.models.trends.noise import (
    FREEDOMS,
    NAMED_BITS,
    SCALES,
    SPREAD_MIN,
    level_bits,
    scale_of,
)

SERIES, LOOKS = 30, range(10, 101, 6)


def drawn(form, seed=0):
    """Draw many series of one spread, 0.7 %, whatever their form."""
    rng = np.random.default_rng(seed)
    if form == "normal":
        found = rng.normal(size=(SERIES, 100))
    elif form == "long tails":
        found = rng.standard_t(3, size=(SERIES, 100))
    elif form == "skewed":
        found = -np.exp(0.8 * rng.normal(size=(SERIES, 100)))
    else:
        found = rng.normal(size=(SERIES, 100)) - 5.0 * (rng.random((SERIES, 100)) < 0.05)
    return 0.007 * found / found.std()


def shortest(samples, freedom, scale):
    """Bits around the likeliest of many levels."""
    levels = np.linspace(samples.min(), samples.max(), 300)[:, None]
    law = norm(scale=scale) if math.isinf(freedom) else t(freedom, scale=scale)
    return -np.sum(law.logpdf(samples - levels), axis=1).max() / math.log(2.0)


@pytest.mark.parametrize("step", [0.0, -0.03])
def test_each_message_takes_the_likeliest_levels_and_the_noise_that_makes_it_shortest(step):
    samples = np.random.default_rng(4).standard_t(3, size=14) * 0.005
    samples[9:] += step
    scale = scale_of(samples)
    one, two = [], []
    for freedom, named in zip(FREEDOMS, NAMED_BITS, strict=True):
        for size in SCALES * scale:
            one.append(named + shortest(samples, freedom, size))
            parts = (samples[:9], samples[9:])
            two.append(named + sum(shortest(own, freedom, size) for own in parts))
    assert level_bits(samples, 9, scale) == pytest.approx(min(one) - min(two), abs=0.02)


@pytest.mark.parametrize("form", ["normal", "long tails", "skewed", "slow at times"])
def test_noise_of_any_form_is_seldom_a_level(form):
    alarms = sum(any(len(group(own[:end]).starts) > 1 for end in LOOKS) for own in drawn(form))
    assert alarms <= 1


@pytest.mark.parametrize("form", ["normal", "long tails", "skewed", "slow at times"])
def test_a_step_of_four_spreads_is_found_within_five_campaigns(form):
    found = 0
    for own in drawn(form, seed=1):
        own[30:] += math.log(0.97)
        found += any(abs(start - 30) <= 2 for start in group(own[:35]).starts[1:])
    assert found >= 0.9 * SERIES


def test_typical_noise_is_that_of_most_campaigns_and_a_thousandth_at_least():
    quiet = np.random.default_rng(2).normal(0.0, 0.01, 400)
    disturbed = quiet - 0.2 * (np.arange(400) % 25 == 0)
    assert scale_of(quiet) == pytest.approx(0.01, rel=0.15)
    assert scale_of(disturbed) == pytest.approx(scale_of(quiet), rel=0.15)
    assert scale_of(np.zeros(12)) == scale_of(np.zeros(1)) == SPREAD_MIN
