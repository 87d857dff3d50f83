"""What counts as done of a run whose trials were disturbed or whose load was interrupted."""

from functools import reduce

import pytest

from linerate.measure.campaign.finished import Finished
from linerate.records import Verdict

from ...files.finished import entry

DISTURBED = Verdict(state="suspect", reasons=("others held a core",))


def after(*trials, retries=2):
    """Count trials, each ``v`` or ``s`` (valid, suspect) with the id of its load behind it."""
    states = {"v": {}, "s": {"verdict": DISTURBED}}
    entries = [entry(trial[1:], second, **states[trial[0]]) for second, trial in enumerate(trials)]
    return reduce(Finished.and_then, entries, Finished(retries=retries))


@pytest.mark.parametrize(
    ("trials", "done"),
    [
        (("va", "va"), 2),
        (("sa", "sa", "sa"), 1),
        (("sa", "va", "sa", "sa", "sa", "va"), 3),
        (("sa", "sa"), 0),
        (("va", "sa", "va+2", "va+2"), 3),
        (("va", "sa", "sa", "sa+3", "sa+3"), 1),
        (("va", "sa", "sa", "sa+3", "sa+3", "sa+3"), 2),
    ],
)
def test_repetitions_of_a_disturbed_trial_are_no_further_trials(trials, done):
    assert after(*trials).trials == done


@pytest.mark.parametrize(("retries", "done"), [(0, 4), (1, 2), (3, 1), (4, 0)])
def test_a_campaign_says_how_often_a_disturbed_trial_is_repeated(retries, done):
    assert after("sa", "sa", "sa", "sa", retries=retries).trials == done


@pytest.mark.parametrize(
    ("trials", "name"),
    [((), "a"), (("va",), "a+1"), (("va", "va", "va+2"), "a+3"), (("va", "va+2"), "a+3")],
    ids=["none", "begun", "resumed", "resumed, and a line was spoiled"],
)
def test_each_program_load_has_a_name_of_its_own(trials, name):
    assert after(*trials).next_id("a") == name
