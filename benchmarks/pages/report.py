"""Seconds, memory and size of a report of 2000 runs: ``python benchmarks/pages/report.py``.

    .venv/bin/python benchmarks/pages/report.py [--runs 2000] [CAMPAIGN...]

The campaign is planted: program loads of a campaign that was measured are drawn anew, with
replacement, until there are so many runs; they keep their cells, and each is a load of its own.
**Claim: at most 40 s, 1.5 GiB and 6 MB of page.** The exit code is 0 when it holds. Beside other
work the wall clock says little: CPU seconds are printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).resolve().parents[2] / "data"
USUAL = (DATA / "reference-veth", DATA / "reference-veth-split")
COMMAND = (sys.executable, "-c", "from linerate.cli import main; main()", "report")
SECONDS_MAX, GIB_MAX, PAGE_MB_MAX = 40.0, 1.5, 6.0
LOOK_S = 0.25
"""Between two looks at the memory."""


def plant(campaign: Path, folder: Path, runs: int) -> None:
    """Write a campaign of so many runs, drawn from the program loads of another."""
    rows = pd.read_parquet(campaign / "runs.parquet")
    by_load = [own for _, own in rows.groupby("run_id")]
    rng, parts, count = np.random.default_rng(0), [], 0
    while count < runs:
        own = by_load[int(rng.integers(len(by_load)))]
        parts.append(own.assign(run_id=f"planted-{len(parts):05d}", repetition=1 + len(parts)))
        count += len(own)
    folder.mkdir()
    pd.concat(parts, ignore_index=True).head(runs).to_parquet(folder / "runs.parquet")
    for name in ("box.json", "provenance.json"):
        if (campaign / name).is_file():
            shutil.copy(campaign / name, folder)


def tree(pid: int) -> list[int]:
    """Process and all below it, as far as they are still there."""
    found = [pid]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += tree(int(child))
    return found


def memory_gib(pid: int) -> float:
    """Memory of a process and those below it, what they share counted once."""
    total_kib = 0
    try:
        for one in tree(pid):
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total_kib += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except (OSError, ValueError):
        return 0.0  # one of them has just ended
    return total_kib / 2**20


def main() -> int:
    """Plant, report, and print what it took."""
    parser = argparse.ArgumentParser(description="What a report of many runs takes.")
    parser.add_argument("campaigns", metavar="CAMPAIGN", type=Path, nargs="*", default=USUAL)
    parser.add_argument("--runs", type=int, default=2000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "report"
        folders = [Path(scratch) / campaign.name for campaign in asked.campaigns]
        for campaign, folder in zip(asked.campaigns, folders, strict=True):
            plant(campaign, folder, asked.runs // len(folders))
        begun_s, most_gib = time.perf_counter(), 0.0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen([*COMMAND, *folders, "--out", out, "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            while process.poll() is None:
                most_gib = max(most_gib, memory_gib(process.pid))
                time.sleep(LOOK_S)
            answer = json.loads(process.stdout.read() if process.stdout else "{}")
        wall_s = time.perf_counter() - begun_s
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        page_mb = (out / "report.html").stat().st_size / 1e6
        figures = sum(len(section["figures"]) for section in answer["sections"])
    load = os.getloadavg()[0]
    print(f"{asked.runs} runs drawn from {', '.join(folder.name for folder in folders)}, "
          f"{figures} figures: wall {wall_s:.1f} s, CPU {cpu_s:.1f} s, memory {most_gib:.2f} GiB, "
          f"page {page_mb:.2f} MB (load of the machine {load:.1f})")  # fmt: skip
    return int(wall_s > SECONDS_MAX or most_gib > GIB_MAX or page_mb > PAGE_MB_MAX)


if __name__ == "__main__":
    sys.exit(main())
