"""A campaign that is measured once, and how far off predictions of its programs are."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pandas.api.typing import DataFrameGroupBy

from linerate.cells import Cell
from linerate.measure.trials.bench import Bench, Timing
from linerate.tables.runs import read_runs


def measured(
    words: str | None, write_campaign: Callable[[Path], object]
) -> tuple[Path, pd.DataFrame]:
    """Measure into the folder that the command line names, unless it was; the plan and the runs."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("folder", type=Path, help="where the campaign goes; measured once")
    parser.add_argument("more", nargs="*", type=Path,
                        help="campaigns of the same plan, whose runs count, too")  # fmt: skip
    asked = parser.parse_args()
    folder = asked.folder
    plan, out = folder / "plan", folder / "out"
    if not plan.exists():
        write_campaign(plan)
    if not (out / "runs.csv").exists():
        linerate = Path(sys.executable).with_name("linerate")
        subprocess.run([linerate, "measure", plan / "campaign.toml", "--out", out], check=True)
    return plan, read_runs([out, *asked.more])


class TimedTrial(NamedTuple):
    """What of a trial tells the time of a packet on a core alone."""

    began_ns: int
    duration_ns: int
    stretches_ns: tuple[tuple[float, ...], ...]


def timed_trial(bench: Bench, cell: Cell, seconds: float) -> TimedTrial:
    """Offer a cell's load for so long, as a campaign does."""
    trial = bench.run_trial(cell.load, Timing(warm_up_seconds=0.05, seconds=seconds))
    return TimedTrial(trial.began_ns, round(1e9 * trial.duration_s), trial.stretches_ns)


def print_errors(found: pd.DataFrame, what: str, groups: pd.Series) -> None:
    """Print each program, and for each group how far off its predictions are."""
    print(found.round(1).to_string(index=False))
    inside = found["measured_ns"].between(found["lower_ns"], found["upper_ns"])
    for group, rows in found.groupby(groups):
        errors = rows["error_percent"].abs()
        if "loads_inside" in rows:  # the interval is of one more load, not of a median
            print(f"{group}: {rows['loads_inside'].mean():.0%} of the loads inside")
        print(f"{group}: {len(rows)} {what}, off by {errors.median():.1f} % in the median, "
              f"{errors.mean():.1f} % in the mean, {errors.quantile(0.9):.1f} % P90; inside the "
              f"90 % interval {int(inside[rows.index].sum())}")  # fmt: skip


def print_beside(ran: DataFrameGroupBy) -> None:
    """Print how far off test runs are of loads of the same minute, grouped by program."""
    taken = ran[["packet_ns", "generated_ns"]].median()
    off = 100.0 * (taken["packet_ns"] / taken["generated_ns"] - 1.0)
    print(f"run, over loads of the same minute: {off.median():+.1f} % in the median; off by "
          f"{off.abs().median():.1f} %, {off.abs().mean():.1f} % in the mean, "
          f"{off.abs().quantile(0.9):.1f} % P90")  # fmt: skip
