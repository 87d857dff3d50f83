"""Chains that are asked about run: flooded with each size, and at rest."""

import math

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.measure.datapaths.chain import test_run as chain_runs
from linerate.measure.datapaths.chain.settings import WORK_NS_MAX, ChainSettings
from linerate.measure.datapaths.chain.test_run import TRIALS_MAX, time_chain

pytestmark = pytest.mark.root

FUNCTIONS = ("raw_socket", "af_xdp", "tc")
WORK_NS = 40_000
LOADS = 1
"""A whole run, of three, is in tests/face/test_chain_runs.py."""


@pytest.fixture(autouse=True)
def few_loads(monkeypatch):
    monkeypatch.setattr(chain_runs, "LOADS", LOADS)


@pytest.fixture
def told():
    """What is said of the way, and a place to say it."""
    found = []
    return found, lambda *words: found.append(words)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_load_has_a_time_of_each_size_and_echoes(function, told):
    said, tell = told
    run = time_chain(ChainSettings(length=2, function=function), (0, 0), (64, 1500), tell)
    assert set(run.took) == {64, 1500}
    assert all(len(took.packet_ns) == LOADS for took in run.took.values())
    assert all(100.0 < ns < 1e7 for took in run.took.values() for ns in took.packet_ns)
    assert len(run.rtts_us) == LOADS
    assert all(1.0 < rtt_us < 1e6 for rtt_us in run.rtts_us)
    assert run.cores >= 1
    assert [words[1:] for words in said] == [(done, 2 * LOADS) for done in range(2 * LOADS + 1)]


@pytest.mark.parametrize(("function", "turns"), [("tc", 2), ("raw_socket", 1), ("af_xdp", 1)])
def test_a_packet_takes_no_less_than_what_functions_do(function, turns, told):
    works = (WORK_NS,) * 2
    run = time_chain(ChainSettings(length=2, function=function), works, (64,), told[1])
    assert min(run.took[64].packet_ns) > 0.95 * turns * WORK_NS  # sockets may have a core each
    assert min(run.rtts_us) > 2 * WORK_NS / 1e3


def test_no_more_trials_than_tell_what_others_take(monkeypatch, told):
    sent = []

    def count(*words):
        sent.append(words)
        return through(*words)

    through = chain_runs.send_through
    monkeypatch.setattr(chain_runs, "send_through", count)
    time_chain(ChainSettings(length=1, function="tc"), (0,), (64,), told[1])
    assert LOADS * chain_runs.TRIALS_MIN <= len(sent) <= LOADS * TRIALS_MAX


def test_without_looks_trials_count_as_they_are(monkeypatch, told):
    monkeypatch.setattr(chain_runs, "counts_of", lambda looks, trial: {"sharing_looks": 0.0})
    run = time_chain(ChainSettings(length=1, function="tc"), (0,), (64,), told[1])
    assert all(math.isfinite(ns) for ns in run.took[64].packet_ns)


def test_a_chain_that_the_lab_cannot_build_is_refused(told):
    with pytest.raises(BadInputError, match=r"length=33: .*; allowed: 0\.\.32"):
        time_chain(ChainSettings(length=33), (0,) * 33, (64,), told[1])


def test_a_function_that_would_take_for_ever_is_refused(told):
    with pytest.raises(LinerateError, match="work-ns"):
        time_chain(ChainSettings(length=1, function="tc"), (WORK_NS_MAX + 1,), (64,), told[1])
