"""A slice of `make fuzz`: changed pipelines are refused in words, or touch only what is theirs."""

from itertools import islice

import pytest

from linerate.measure.processes import built

from ..measure.datapaths.swx.spec.checks.test_bounds import HEAD, pipeline
from .mutations import corpus, mutants
from .pipelines import Outcome, Sanitized, accepted

SEED, SPECS, COMPILED = 7, 300, 5


@pytest.fixture(scope="module")
def sanitized():
    return Sanitized.build(built.build_folder() / "fuzz")


def taken(tmp_path, outcome, specs=SPECS):
    return list(accepted(islice(mutants(SEED, corpus([])), specs), tmp_path, outcome))


def test_changed_pipelines_are_taken_or_refused_in_words(tmp_path):
    outcome = Outcome()
    texts = taken(tmp_path, outcome)
    assert outcome.failures == []
    assert outcome.counts["read"] == SPECS
    assert SPECS / 20 < len(texts) < SPECS, "most are refused, and many are not"


def test_same_seed_gives_the_same_pipelines():
    draws = [list(islice(mutants(SEED, corpus([])), 20)) for _ in range(2)]
    assert draws[0] == draws[1]
    assert draws[0] != list(islice(mutants(SEED + 1, corpus([])), 20))


@pytest.mark.deep
@pytest.mark.dpdk
def test_accepted_pipelines_touch_only_their_own_memory(tmp_path, sanitized):
    texts = taken(tmp_path, Outcome(), specs=100)[-COMPILED:]
    assert [sanitized.try_pipeline(text) for text in texts] == [("ran", "")] * COMPILED


@pytest.mark.deep
@pytest.mark.dpdk
def test_the_sanitizer_sees_what_check_spec_refuses(sanitized):
    """Else silence would say nothing."""
    emits = pipeline(*["emit h.ethernet"] * 200, "tx m.port", head=HEAD)
    how, output = sanitized.try_pipeline(emits)
    assert how == "failed"
    assert "heap-buffer-overflow" in output
