"""How much of a campaign's time went into its trials: ``python benchmarks/campaign.py FOLDER...``.

Read from the journal of a campaign that was measured, so it costs nothing to ask. A trial is its
warm-up and its measured time; outside are building the lab, loading, attaching, settling, reading
counters and taking all of it down, from the start of the first trial to the end of the last.
"""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path

from linerate.errors import LinerateError
from linerate.files.store import Store
from linerate.measure.campaign.campaign import read_campaign

CLAIM = 0.25
"""Most of the time that may lie outside trials."""
PAUSE_SECONDS = 30.0
"""A longer gap between two trials is an interruption, not the campaign's own."""


def outside_ratio(folder: Path) -> tuple[float, float, int]:
    """Share of time outside trials, seconds in all, and trials of one campaign's folder."""
    warm_up_seconds = read_campaign(folder / "campaign.toml").campaign.warm_up_seconds
    entries = list(Store(folder).entries())
    starts = [datetime.fromisoformat(entry.trial.started_at).timestamp() for entry in entries]
    trials = [warm_up_seconds + entry.trial.duration_s for entry in entries]
    wall_seconds = trials[-1]
    for begin, end, seconds in zip(starts, starts[1:], trials, strict=False):
        wall_seconds += end - begin if end - begin < seconds + PAUSE_SECONDS else seconds
    return 1.0 - sum(trials) / wall_seconds, wall_seconds, len(entries)


def main() -> int:
    """Print one line a folder; 1 if one of them is above the claim."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path, help="campaigns that were measured")
    worst = 0.0
    try:
        for folder in parser.parse_args().folders:
            ratio, seconds, trials = outside_ratio(folder)
            worst = max(worst, ratio)
            print(f"{folder}: {ratio:.1%} of {seconds:.0f} s outside {trials} trials")
    except (LinerateError, IndexError, OSError) as error:
        print(f"campaign: {error}", file=sys.stderr)
        return 3
    return int(worst > CLAIM)


if __name__ == "__main__":
    sys.exit(main())
