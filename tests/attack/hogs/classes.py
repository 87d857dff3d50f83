"""Processes of every scheduling class that take a core of the lab's for a part of a trial."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOG = Path(__file__).with_name("hog.py")
DELAY_SECONDS = (0.05, 0.5)
"""From a hog's start, which is just before a trial's; drawn evenly."""
LASTING_SECONDS = (0.009, 0.5)
"""Drawn evenly by its logarithm: from 3 % of a trial's window to all of it and more."""
NICE = ("nice", "--adjustment")
CLASSES: dict[str, tuple[str, ...]] = {
    "SCHED_FIFO": ("chrt", "--fifo", "10"),
    "SCHED_RR": ("chrt", "--rr", "10"),
    "SCHED_DEADLINE": ("chrt", "--deadline", "--sched-runtime", "9000000",
                       "--sched-deadline", "10000000", "--sched-period", "10000000", "0"),
    "SCHED_BATCH, nice -20": (*NICE, "-20", "chrt", "--batch", "0"),
    "nice -20": (*NICE, "-20"),
    "nice 0": (),
    "nice 19": (*NICE, "19"),
    "SCHED_IDLE": ("chrt", "--idle", "0"),
}  # fmt: skip
"""Class -> what gives it to a command."""
UNPINNED = "SCHED_DEADLINE"
"""The kernel lets no such process be bound to a core."""


@contextmanager
def hog(kind: str, core: int, rng: random.Random) -> Iterator[int]:
    """Start a hog of a class, which takes a core of its own accord; its process id."""
    delay = rng.uniform(*DELAY_SECONDS)
    lasting = math.exp(rng.uniform(*map(math.log, LASTING_SECONDS)))
    pinned = () if kind == UNPINNED else ("taskset", "--cpu-list", str(core))
    argv = [*pinned, *CLASSES[kind], sys.executable, "-I", "-S", HOG, str(delay), str(lasting)]
    process = subprocess.Popen(argv, start_new_session=True)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()
