"""Programs timed on one core while another runs them, too: two cores, really at once."""

import os
import subprocess
import sys

import numpy as np
import pytest

from linerate.measure.collectors.sharing import sample_sharing
from linerate.measure.objects.calibrating.sharing import measure_sharing
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.programs.costs import ALONE, TOGETHER, sharing_name

from ....needs import two_cores

pytestmark = [
    pytest.mark.root,
    pytest.mark.exclusive,
    two_cores,
]


def timed(compiled, entry, cores=2):
    tested = UnderTest(path=compiled("sharing"), entry=entry, settings=NOTHING, cores=cores)
    return time_programs((tested,), of_size(64), lambda *_: None, loads=3)[0]


def on_one_core():
    """Whether what runs on the second CPU is seen at the first, as another thread of its core."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    sample_sharing([first], 1.0)  # what its work takes alone
    busy = subprocess.Popen(
        ["timeout", "10", "taskset", "-c", str(second), sys.executable, "-c", "while 1: pass"]
    )
    seen = sample_sharing([first], 1.0)
    busy.terminate()
    busy.wait()
    return (seen or 0.0) > 0.5


def test_cores_that_write_to_one_entry_wait_for_it(compiled):
    times = timed(compiled, "shared")
    assert np.median(times.together[0].program_ns) > 1.5 * np.median(times.program_ns)


def test_cores_that_write_to_entries_of_their_own_do_not(compiled):
    times = timed(compiled, "apart")
    assert [each.cores for each in times.together] == [2]
    assert times.together[0].share > 0.5
    assert np.median(times.together[0].scaled_ns(100.0)) < 1.3 * np.median(times.scaled_ns(100.0))


def test_one_core_is_timed_alone(compiled):
    assert timed(compiled, "shared", cores=1).together == ()


def test_a_calibration_times_a_counter_alone_and_together():
    assert measure_sharing(1, 100.0, lambda *_: None) == {}
    costs = measure_sharing(2, 100.0, lambda *_: None)
    more_ns = costs[sharing_name(TOGETHER, 2)].value_ns - costs[sharing_name(ALONE, 1)].value_ns
    if abs(more_ns) < 1.0 or on_one_core():
        pytest.skip("this host runs both CPUs on one core now: they share a first-level cache")
    assert more_ns > 5.0
