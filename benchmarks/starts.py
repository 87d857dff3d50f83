"""Seconds that helps and one prediction take to appear: ``python benchmarks/starts.py``."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import linerate as lr
from linerate.cli.app import COMMANDS

ROUNDS = 7
SECONDS_MAX = 0.4
PREDICTION_SECONDS_MAX = 0.5
CELL = (
    "--datapath", "xdp_native", "--memory-accesses", "100", "--frame-bytes", "64", "--queues", "1",
)  # fmt: skip
COMMAND = (sys.executable, "-c", "from linerate.cli import main; main()")


def start_of(*words: str) -> tuple[float, float]:
    """Wall clock and CPU seconds of one process."""
    begun_s, before = time.perf_counter(), os.times()
    subprocess.run(words, check=True, capture_output=True)
    seconds, after = time.perf_counter() - begun_s, os.times()
    cpu_s = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return seconds, cpu_s


def main() -> int:
    """Print each command's start; 1 where one is over what is claimed."""
    started_s("python alone", sys.executable, "-c", "pass")
    names = ("", *(command.name for command in COMMANDS))
    slowest_s = max(
        started_s(f"linerate {name} --help", *COMMAND, *filter(None, [name]), "--help")
        for name in names
    )
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.json")
        lr.fit(lr.read("data/reference-veth"), "capacity", progress=False).save(path)
        predicted_s = started_s("linerate predict, one cell", *COMMAND, "predict", path, *CELL)
    return int(slowest_s > SECONDS_MAX or predicted_s > PREDICTION_SECONDS_MAX)


def started_s(what: str, *words: str) -> float:
    """Print median [smallest..largest] of several starts; return the median, s."""
    walls_s, cpu_s = zip(*(start_of(*words) for _ in range(ROUNDS)), strict=True)
    median_s = statistics.median(walls_s)
    print(f"{what:30}{median_s:.2f} s [{min(walls_s):.2f}..{max(walls_s):.2f}], "
          f"CPU {statistics.median(cpu_s):.2f} s")  # fmt: skip
    return median_s


if __name__ == "__main__":
    sys.exit(main())
