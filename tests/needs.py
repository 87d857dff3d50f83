"""Marks for tests that need more of a machine than its kernel."""

import os
import subprocess
import sys

import pytest

two_cores = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="needs 2 cores: who sends takes one"
)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def as_nobody():
    """Give the words before a command that make it user nobody's; skip where that user cannot."""
    if os.geteuid() != 0:
        pytest.skip("no root: nobody else's rights can be taken")
    loads = [*NOBODY, sys.executable, "-c", "import linerate"]
    if subprocess.run(loads, cwd="/", capture_output=True, check=False).returncode:
        pytest.skip("user nobody may not read this checkout, or its Python")
    return NOBODY
