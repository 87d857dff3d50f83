"""Trials beside processes that take the lab's cores, whatever their scheduling class."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from linerate.errors import LinerateError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import CONTENDED_RATIO_MAX

pytestmark = pytest.mark.root
TIMING = Timing(warm_up_seconds=0.05, seconds=0.2)
TRIALS = 2
HOG = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # whatever becomes of us: the kernel ends this
os.sched_setaffinity(0, [int(sys.argv[1])])
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
while True:
    pass
"""


@contextmanager
def hogs(cores):
    """Let a real-time process take each of these cores, as far as the kernel lets it."""
    started = [subprocess.Popen([sys.executable, "-c", HOG, str(core)]) for core in cores]
    try:
        sleep(0.5)  # until they have their class
        yield
    finally:
        for hog in started:
            hog.kill()
            hog.wait()


def contended_ratios(bench, cell):
    """How much of each trial others held a core of the lab; 1 where it could not be measured."""
    for _ in range(TRIALS):
        try:
            yield bench.run_trial(cell.load, TIMING).contended_ratio
        except LinerateError:
            yield 1.0


@pytest.mark.exclusive
@pytest.mark.parametrize(
    ("mode", "cores"), [pytest.param("serial", (0, 1), marks=pytest.mark.deep), ("split", (1,))]
)
def test_a_real_time_process_on_its_cores_is_seen(mode, cores, cell_of):
    cell = cell_of(mode=mode)
    with open_bench(cell) as bench, hogs(cores):
        ratios = list(contended_ratios(bench, cell))
    assert min(ratios) > CONTENDED_RATIO_MAX
    assert max(ratios) <= 1.0


def generator_of_ours():
    """Process of the generator that this one started, once it sends."""
    until = monotonic() + 10
    while monotonic() < until:
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                _, name, rest = status.read_text().replace("(", ")").split(")")
            except (OSError, ValueError):  # it ended, or has an odd name
                continue
            if name == "traffic" and int(rest.split()[1]) == os.getpid():
                return int(status.parent.name)
        sleep(0.005)
    raise AssertionError("no generator was started")


@pytest.mark.parametrize("mode", ["serial", "split"])
def test_a_window_that_is_ended_late_is_seen(mode, cell_of):
    """Nobody waits for a core while it is stopped: only the window's length tells of it."""
    cell, timing = cell_of(mode=mode), Timing(warm_up_seconds=0.0, seconds=1.6)
    with open_bench(cell) as bench, ThreadPoolExecutor(1) as pool:
        running = pool.submit(bench.run_trial, cell.load, timing)
        generator = generator_of_ours()
        sleep(0.8)
        os.kill(generator, signal.SIGSTOP)
        sleep(1.2)
        os.kill(generator, signal.SIGCONT)
        trial = running.result()
    late = trial.duration_s - timing.seconds
    assert late > 0.05
    assert trial.contended_ratio >= late / trial.duration_s - 1e-6


def user_seconds(core):
    """Time that processes spent in their own code on a core; none of the lab's is of the device."""
    lines = Path("/proc/stat").read_text().splitlines()
    (ticks,) = (line.split()[1:3] for line in lines if line.startswith(f"cpu{core} "))
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.deep
@pytest.mark.exclusive
def test_a_thread_that_is_woken_for_nearly_each_packet_is_not_held_by_others(cell_of):
    """What an idle core takes to begin again nobody is charged with: 5 % of it here, once."""
    cell = cell_of({"arrivals": "poisson", "offered_mpps": 0.1}, mode="split")
    timing, ratios = Timing(warm_up_seconds=0.1, seconds=2.0), []
    with open_bench(cell) as bench:
        for _ in range(6):
            before = user_seconds(1)
            trial = bench.run_trial(cell.load, timing)
            if user_seconds(1) - before < 0.01 * trial.duration_s:
                ratios.append(trial.contended_ratio)
    if not ratios:
        pytest.skip("another process ran on the device's core in each trial")
    assert min(ratios) < CONTENDED_RATIO_MAX
