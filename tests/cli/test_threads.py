"""Commands calculate in one thread, unless the user says otherwise."""

import os
import subprocess
import sys

import pytest

from linerate.cli import THREADS

SCRIPT = """
from linerate.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
import numpy
from threadpoolctl import threadpool_info
print(max(one["num_threads"] for one in threadpool_info()))
"""


@pytest.mark.parametrize(("own", "threads"), [({}, 1), ({THREADS[0]: "2"}, 2)])
def test_threads_are_one_or_what_the_user_asks_for(own, threads):
    usual = {name: value for name, value in os.environ.items() if name not in THREADS}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=usual | own, capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert int(done.stdout.split()[-1]) == threads
