"""Seconds and memory of importing a whole study: ``python benchmarks/importing.py LOGS``."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from linerate.measure.importers.formats.capeletti import import_capeletti
from linerate.measure.importers.formats.capeletti.names import log_name
from linerate.measure.importers.logs.sources import source_files

FILES, BYTES = 9000, 250_000_000
"""Of the whole study; copies go on until both are reached."""
SECONDS_MAX, GIB_MAX = 60.0, 1.0
ACCESSES_STEP = 13_000
"""Between copies of a run: beyond the largest number of accesses that the study has."""


def full_study(logs: Path, folder: Path) -> tuple[int, int]:
    """Copy the logs of some runs under other names until there are enough; files and bytes."""
    files = bytes_sum = copies = 0
    while files < FILES or bytes_sum < BYTES:
        before = files
        for file in source_files(logs):
            named = log_name(file.path)
            if named is None or (files >= FILES and bytes_sum >= BYTES):
                continue
            accesses = named.key.memory_accesses
            path = folder / file.path.replace(
                f"for_0_a_{accesses}", f"for_0_a_{accesses + copies * ACCESSES_STEP}"
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            files += 1
            bytes_sum += len(file.content)
        if files == before:
            raise SystemExit(f"{logs} holds no log of the study")
        copies += 1
    return files, bytes_sum


def main(logs: Path) -> int:
    """Print what the import took; 1 where it is more than is claimed."""
    with tempfile.TemporaryDirectory() as folder:
        files, bytes_sum = full_study(logs, Path(folder))
        start_s, start_cpu_s = time.perf_counter(), time.process_time()
        imported = import_capeletti(Path(folder))
        seconds = time.perf_counter() - start_s
        cpu_s = time.process_time() - start_cpu_s
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{files} files, {bytes_sum / 1e6:.0f} MB: {len(imported.runs)} runs, "
          f"{len(imported.left_out)} left out")  # fmt: skip
    print(f"{seconds:.1f} s, of which {cpu_s:.1f} s of CPU; peak {peak_gib:.2f} GiB")
    return int(seconds > SECONDS_MAX or peak_gib > GIB_MAX)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
