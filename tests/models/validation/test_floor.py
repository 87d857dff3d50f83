"""Floors of single runs and of medians, against what is known of normal and of stray loads."""

import numpy as np
import pytest

from linerate.models.validation.floor import floor_of_medians, floor_of_runs, log_deviations

CELLS, SPREAD = 3000, 0.02
NORMAL_MEDIAN = 0.6745
"""Median of the size of a standard normal deviate."""
VARIANCE_OF_MEDIAN_OF_3 = 0.4487
"""Of three standard normal deviates: Arnold, Balakrishnan and Nagaraja (1992), table 4.9."""


def there(floor):
    assert floor is not None
    return floor


def planted(loads, seed=3):
    rng = np.random.default_rng(seed)
    cell = np.repeat(np.arange(CELLS), loads)
    return np.exp(rng.normal(0.0, SPREAD, cell.size) + 0.3 * (cell % 5)), cell


def test_a_run_is_held_against_the_others_of_its_cell():
    floor = there(floor_of_runs([1.0, 2.0, 4.0, 7.0], [0, 0, 0, 1]))
    # 1 against 3, 2 against 2.5, 4 against 1.5; the cell of one run has no others
    assert floor.median_percent == pytest.approx(100.0 * 2 / 3)
    assert floor.mean_percent == pytest.approx(100.0 * np.mean([2 / 3, 0.2, 5 / 3]))


def test_none_where_no_cell_is_repeated():
    assert floor_of_runs([1.0, 2.0], [0, 1]) is None
    assert floor_of_medians([1.0, 2.0], [0, 1], [0, 0]) is None


def test_two_normal_runs_lie_the_root_of_two_apart():
    floor = there(floor_of_runs(*planted(loads=2)))
    assert floor.median_percent == pytest.approx(100 * SPREAD * 2**0.5 * NORMAL_MEDIAN, rel=0.05)


@pytest.mark.parametrize(("loads", "variance"), [(2, 1 / 2), (3, VARIANCE_OF_MEDIAN_OF_3)])
def test_medians_of_normal_loads_are_off_as_known(loads, variance):
    values, cell = planted(loads)
    floor = there(floor_of_medians(values, cell, np.zeros(cell.size)))
    assert floor.median_percent == pytest.approx(
        100 * SPREAD * variance**0.5 * NORMAL_MEDIAN, rel=0.05
    )


def test_the_floor_is_what_the_truth_itself_scores():
    """One load of ten is 30 % too slow: the true rates, held against the medians, score it."""
    rng = np.random.default_rng(5)
    values, cell = planted(loads=3)
    values *= np.where(rng.random(values.size) < 0.1, 0.7, 1.0)
    truth = np.exp(0.3 * (np.arange(CELLS) % 5))
    error = truth / np.median(values.reshape(CELLS, 3), axis=1) - 1.0
    floor = there(floor_of_medians(values, cell, np.zeros(cell.size)))
    assert floor.median_percent == pytest.approx(100 * np.median(np.abs(error)), rel=0.2)
    assert floor.mean_percent == pytest.approx(100 * np.mean(np.abs(error)), rel=0.35)


def test_a_quiet_path_does_not_take_the_noise_of_another():
    values, cell = planted(loads=3)
    noisy = cell >= CELLS // 2
    values[~noisy] = 1.0
    apart = there(floor_of_medians(values, cell, noisy))
    assert apart.median_percent < 0.25 * there(floor_of_medians(values, cell, 0 * cell)).p90_percent
    assert apart.p90_percent > 100 * SPREAD * NORMAL_MEDIAN


def test_many_loads_have_the_floor_of_their_number():
    """A median of 101 loads of 5 % lies 0.42 % off on average: 0.05 sqrt(pi / 202) sqrt(2 / pi)."""
    rng = np.random.default_rng(4)
    cell = np.repeat(np.arange(20), 101)
    values = np.exp(0.05 * rng.standard_normal(cell.size))
    found = there(floor_of_medians(values, cell, np.zeros(cell.size)))
    assert found.mean_percent == pytest.approx(5.0 * np.sqrt(np.pi / 202 * 2 / np.pi), rel=0.1)


@pytest.mark.parametrize("runs", [2, 3, 4, 7])
def test_sorted_once_or_once_for_each_run_the_others_have_the_same_median(runs):
    values = np.random.default_rng(runs).integers(1, 6, (50, runs)) / 3.0
    each = [np.median(np.delete(values, run, axis=1), axis=1) for run in range(runs)]
    found = log_deviations(values.ravel(), np.repeat(np.arange(50), runs))
    assert found.tolist() == np.log(values.T / np.array(each)).ravel().tolist()
