"""The commit to measure next: half of what is left, and the one that did it in the end."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.trends.between import between

COMMITS = tuple(f"commit{number:02}" for number in range(33))


def searched(at, noise, rng, ratio=0.97, rounds=200):
    """Measure what is asked for until a commit is named; give it and the campaigns it took."""
    places = [0, 0, 0, 32, 32, 32]
    rates = []
    for number in range(rounds):
        while len(rates) < len(places):
            level = np.log(ratio) if places[len(rates)] >= at else 0.0
            rates.append(level + noise * rng.standard_normal())
        found = between(COMMITS, places, np.array(rates))
        if not found.next_commit:
            return found, number
        places.append(COMMITS.index(found.next_commit))
    raise AssertionError("it never ends")


def test_without_noise_each_campaign_halves_what_is_left():
    for at in (1, 9, 32):
        found, campaigns = searched(at, 1e-4, np.random.default_rng(1))
        assert found.likeliest == COMMITS[at]
        assert campaigns <= 6
        assert found.ratio == pytest.approx(0.97, abs=2e-3)


def test_the_first_campaign_that_is_asked_for_is_of_the_middle():
    found = between(COMMITS, [0, 0, 32, 32], np.log([1.0, 1.001, 0.97, 0.971]))
    assert found.next_commit == "commit16"
    assert found.campaigns_left == 5
    assert sum(found.probabilities) == pytest.approx(1.0)
    assert len(found.commits) == 32


def test_noise_takes_more_campaigns_and_the_commit_is_right_as_often_as_is_said():
    rng = np.random.default_rng(7)
    ends = [(at, *searched(at, 0.01, rng)) for at in rng.integers(1, 33, 20)]
    right = [found.likeliest == COMMITS[at] for at, found, _ in ends]
    assert np.mean(right) >= 0.85
    assert 6 < np.mean([campaigns for *_, campaigns in ends]) < 30


def test_a_slow_commit_that_was_measured_is_taken_into_account():
    found = between(COMMITS, [0, 0, 8, 32, 32], np.log([1.0, 1.001, 0.97, 0.97, 0.971]))
    assert sum(found.probabilities[:8]) > 0.99
    assert found.next_commit == "commit04"


def test_what_is_known_well_is_not_asked_for_again():
    places = [0, 0, 0, 32, 32, 32] + [31] * 30
    noise = 0.01 * np.tile([-1.0, 0.0, 1.0], 12)
    found = between(COMMITS, places, noise + np.array([0.008] * 3 + [-0.018] * 3 + [0.0] * 30))
    assert 0.5 < found.probabilities[31] < 0.9
    assert found.next_commit == "commit32"


def test_a_thousand_commits_are_as_good_as_thirty():
    commits = [f"{number:040x}" for number in range(1001)]
    found = between(commits, [0, 0, 1000, 1000], np.log([1.0, 1.001, 0.97, 0.971]))
    assert found.next_commit == commits[500]


@pytest.mark.parametrize("places", [[0, 0, 32], [3, 3, 3, 3]])
def test_too_few_campaigns_are_refused(places):
    with pytest.raises(BadInputError, match="measure each of the two twice"):
        between(COMMITS, places, np.zeros(len(places)))
