"""How well a PDR repeats in split mode: ``sudo .venv/bin/python benchmarks/search.py``.

Each repetition has a lab and a program load of its own, so the spread holds both the search's and
the load's. A canary between them shows how the machine drifts. The exit code is 1 where every
search counts and the spread is above the claim.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.whole import Measured, Outset, measure_into, plan_of
from linerate.measure.live.events import Event, SearchFinished
from linerate.measure.live.progress import Progress
from linerate.tables.search_answers import CV_RATIO_MAX

REPETITIONS = 5
TRIAL_SECONDS = 0.02
CANARY_TRIALS = 5
SEARCH_SECONDS_MAX = 60.0


def plan(trial_seconds: float) -> dict[str, Any]:
    """Search the PDR of one cell, each time under a program load of its own, beside a canary."""
    return {
        "name": "search-benchmark", "lab": "veth", "repetitions": REPETITIONS, "canary_every": 1,
        "trials": CANARY_TRIALS, "trial_seconds": 0.1, "warm_up_seconds": 0.02,
        "searches": [{
            "mode": "split", "datapath": ["xdp_native"], "program": ["map_lookup"],
            "memory_accesses": [100], "queues": [1], "frame_bytes": [64], "link_gbps": 10.0,
            "goals": ["pdr"], "min_mpps": 0.01, "width_ratio": 0.02,
            "trial_seconds": trial_seconds,
            "search_seconds_max": SEARCH_SECONDS_MAX,
        }],
    }  # fmt: skip


def show(progress: Progress, events: Sequence[Event]) -> None:
    """Print each search as it ends."""
    for event in events:
        if isinstance(event, SearchFinished):
            (goal,) = event.goals
            canary_mpps = progress.canary_mpps[-1] if progress.canary_mpps else math.nan
            reasons = (*event.reasons, *filter(None, [goal["reason"]]))
            print(
                f"{event.search_id}: PDR {goal['lower_mpps'] or 0.0:.4f} to "
                f"{goal['upper_mpps'] or math.inf:.4f} Mpps, "
                f"limited by {goal['limited_by']}; {event.trials} trials, {event.verdict}; the "
                f"canary before it {canary_mpps:.3g} Mpps", *reasons, sep="\n  ", flush=True,
            )  # fmt: skip


def verdict(done: Measured) -> int:
    """Print the answer, and whether it holds the claim."""
    (answer,) = done.answers
    print(answer)
    if len(answer.loads_mpps) < REPETITIONS:
        print("  not judged: the machine was disturbed; repeat it when it is idle")
        return 0
    return int(not answer.cv_ratio <= CV_RATIO_MAX)


def main() -> int:
    """Search, print each search as it ends, then what they answer together."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=TRIAL_SECONDS, help="of one trial")
    fields = plan(options.parse_args().seconds)
    with TemporaryDirectory() as folder:
        outset = Outset(out=Path(folder) / "out")
        return verdict(measure_into(plan_of(campaign_from(fields, "benchmark")), outset, show))


if __name__ == "__main__":
    sys.exit(main())
