"""Marks for tests that need more of a machine than its kernel."""

import os

import pytest

two_cores = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="needs 2 cores: who sends takes one"
)
