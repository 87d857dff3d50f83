"""Run trials beside hogs of every scheduling class for as long as told; count what is believed.

Trials that were run before are counted on, in ``build/attack/hogs.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .cells import CELLS
from .classes import CLASSES
from .counts import Counts
from .judged import NOBODY, judged

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "build/attack/hogs.jsonl"
UNDISTURBED_EACH = 3
"""One trial without a hog for so many with one."""


def main(argv: Sequence[str] | None = None) -> None:
    """Exit 1 where too many disturbed trials were believed, or undisturbed ones marked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=75.0)
    parser.add_argument("--only", choices=CELLS, action="append", help="cell")
    parser.add_argument("--hog", choices=CLASSES, action="append", help="class")
    parser.add_argument("--kept", type=Path, default=KEPT, help="what was run before")
    given = parser.parse_args(argv)
    end, rng = time.monotonic() + given.seconds, random.Random()
    given.kept.parent.mkdir(parents=True, exist_ok=True)
    while time.monotonic() < end:
        for name in given.only or CELLS:
            if time.monotonic() > end:
                break
            kinds = [*(given.hog or CLASSES)] * 2
            rng.shuffle(kinds)
            for place in range(len(kinds), -1, -UNDISTURBED_EACH):
                kinds.insert(place, NOBODY)
            with tempfile.TemporaryDirectory(prefix="attack-") as folder:
                trials = judged(name, kinds, rng, Path(folder))
            with given.kept.open("a") as file:
                file.writelines(json.dumps(asdict(trial)) + "\n" for trial in trials)
    counts = Counts.read(given.kept)
    print(counts)
    sys.exit(not counts.hold)


if __name__ == "__main__":
    main()
