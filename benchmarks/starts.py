"""Seconds that each command takes to say its help: ``python benchmarks/starts.py``."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from linerate.cli.app import COMMANDS

ROUNDS = 7
SECONDS_MAX = 0.4
COMMAND = (sys.executable, "-c", "from linerate.cli import main; main()")


def start_of(*words: str) -> tuple[float, float]:
    """Wall clock and CPU seconds of one start, which ends before it does anything."""
    begun_s, before = time.perf_counter(), os.times()
    subprocess.run([*COMMAND, *words, "--help"], check=True, capture_output=True)
    seconds, after = time.perf_counter() - begun_s, os.times()
    cpu_s = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return seconds, cpu_s


def main() -> int:
    """Print median [smallest..largest] of each command; 1 where one is over what is claimed."""
    slowest_s = 0.0
    for command in ("", *(command.name for command in COMMANDS)):
        starts = [start_of(*filter(None, [command])) for _ in range(ROUNDS)]
        walls_s, cpu_s = zip(*starts, strict=True)
        median_s = statistics.median(walls_s)
        slowest_s = max(slowest_s, median_s)
        print(f"linerate {command:10}{median_s:.2f} s [{min(walls_s):.2f}..{max(walls_s):.2f}], "
              f"CPU {statistics.median(cpu_s):.2f} s")  # fmt: skip
    return int(slowest_s > SECONDS_MAX)


if __name__ == "__main__":
    sys.exit(main())
