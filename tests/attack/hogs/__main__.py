"""Run trials beside hogs of every scheduling class for as long as told; count what is believed.

Trials that were run before are counted on, in ``build/attack/hogs.jsonl``. With ``--undisturbed N``
no hog is started, and trials go on until nobody took much of N of them: for a machine that does
nothing else, whose trials are counted on in ``build/attack/undisturbed.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import cycle
from pathlib import Path

from .cells import CELLS
from .classes import CLASSES
from .counts import Counts
from .judged import NOBODY, judged

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "build/attack"
UNDISTURBED_EACH = 3
"""One trial without a hog for so many with one."""
TOGETHER = 20
"""Trials of one trace where there is no hog."""


def main(argv: Sequence[str] | None = None) -> None:
    """Exit 1 where too many disturbed trials were believed, or undisturbed ones marked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=75.0)
    parser.add_argument("--only", choices=CELLS, action="append", help="cell")
    parser.add_argument("--hog", choices=CLASSES, action="append", help="class")
    parser.add_argument("--undisturbed", type=int, metavar="N", help="no hogs; end at N trials")
    parser.add_argument("--kept", type=Path, help="what was run before")
    given = parser.parse_args(argv)
    alone = given.undisturbed is not None
    kept = given.kept or KEPT / ("undisturbed.jsonl" if alone else "hogs.jsonl")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()
    end, rng = time.monotonic() + given.seconds, random.Random()
    for name in cycle(given.only or CELLS):
        enough = alone and len(Counts.read(kept).undisturbed()) >= given.undisturbed
        if enough or time.monotonic() > end:
            break
        kinds = [NOBODY] * TOGETHER if alone else _kinds(given.hog or CLASSES, rng)
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            trials = judged(name, kinds, rng, Path(folder))
        with kept.open("a") as file:
            file.writelines(json.dumps(asdict(trial)) + "\n" for trial in trials)
    counts = Counts.read(kept)
    print(counts)
    sys.exit(not counts.hold)


def _kinds(hogs: Iterable[str], rng: random.Random) -> list[str]:
    """Two of each class in any order, and nobody before, between and behind them."""
    kinds = [*hogs] * 2
    rng.shuffle(kinds)
    for place in range(len(kinds), -1, -UNDISTURBED_EACH):
        kinds.insert(place, NOBODY)
    return kinds


if __name__ == "__main__":
    main()
